// A real HTTP server that records what the command line sends and answers as a test says, and the
// command line itself: in this process, or as one of its own where a test is about that.
import { spawn } from "node:child_process";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { TestContext } from "node:test";
import { runLine } from "#cli/command-line.ts";
import { closeInStages } from "#http/server/staged-close.ts";

export const root = join(import.meta.dirname, "../..");
export const program = join(root, "bin/firstprint");

interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** As far as it was read. */
  readonly body: Buffer;
}

/** `cut`: the connection is closed instead. `early`: answered at the first bytes of the body. */
type Reply =
  | {
      readonly status?: number;
      readonly json?: unknown;
      readonly text?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly early?: boolean;
    }
  | "cut"
  | "cut in the answer"
  | "cut and gone";

interface Recorder {
  readonly url: string;
  readonly requests: readonly Recorded[];
}

/** Gives the replies in turn, the last one again and again. */
export async function startRecorder(t: TestContext, ...replies: readonly Reply[]) {
  const requests: Recorded[] = [];
  const server = createServer((request, response) => {
    const reply = replies[Math.min(requests.length, replies.length - 1)] ?? {};
    const chunks: Buffer[] = [];
    const { method = "", url = "", headers } = request;
    const record = (): void => {
      requests.push({ method, url, headers, body: Buffer.concat(chunks) });
      if (reply === "cut" || reply === "cut and gone") {
        if (reply === "cut and gone") server.close();
        request.socket.destroy();
        return;
      }
      if (reply === "cut in the answer") {
        response.writeHead(200, { "content-length": "1000" });
        response.write('{"data":[', () => request.socket.destroy());
        return;
      }
      response.writeHead(reply.status ?? 200, {
        "content-type": "application/json; charset=utf-8",
        ...reply.headers,
      });
      response.end(reply.text ?? JSON.stringify(reply.json ?? { success: true, data: {} }));
    };
    const early = typeof reply !== "string" && reply.early === true;
    closeInStages(request, response, 10_000);
    request.on("data", (chunk: Buffer) => {
      if (early && chunks.length === 1) return;
      chunks.push(chunk);
      if (early) record();
    });
    if (!early) request.on("end", record);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, requests } satisfies Recorder;
}

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
}

// The runner asks for colours in this variable where it writes to a terminal itself.
delete process.env.FORCE_COLOR;

/** Runs it here, with nothing of this process's settings; no folder of the data is found. */
export async function run(args: readonly string[], { env = {} }: RunOptions = {}): Promise<Ran> {
  const [stdout, stderr] = [new Gathered(), new Gathered()];
  const environment = { FIRSTPRINT_DATA_DIR: join(root, "test/no-data"), ...env };
  const status = await runLine(args, { stdout, stderr, environment });
  return { status, stdout: stdout.text, stderr: stderr.text };
}

class Gathered extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

interface ProcessOptions extends RunOptions {
  readonly cwd?: string;
  readonly program?: string;
}

interface RanProcess extends Ran {
  readonly pid: number | undefined;
}

/** Runs it with nothing of this process's settings but PATH; `cwd` has no data folder by itself. */
export function runProcess(
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<RanProcess> {
  const child = spawn(options.program ?? program, [...args], {
    cwd: options.cwd ?? join(root, "test"),
    env: { PATH: process.env.PATH ?? "", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { stdout, stderr, pid } = child;
  const texts = [stdout, stderr].map((stream) => {
    const chunks: string[] = [];
    stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
    return () => chunks.join("");
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => {
      const [out = "", err = ""] = texts.map((text) => text());
      resolve({ status, stdout: out, stderr: err, pid });
    });
  });
}
