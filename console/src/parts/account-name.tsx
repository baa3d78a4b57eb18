// The name of an account, as operators may read it.
// Invariant: until the exchange has said it, and where it may not, the id stands in its place.
import { answered } from "@firstprint/sdk";
import { Question, useReading } from "../query.ts";
import { exchange } from "../session.ts";

const account = new Question(
  async (id: string) => {
    const params = { path: { id } };
    return (await answered(exchange.value.GET("/api/admin/accounts/{id}", { params }))).data;
  },
  { isPrivate: true, freshSeconds: 600 },
);

export function AccountName({ id }: { readonly id: string }) {
  const reading = useReading(account, id === "root" ? undefined : [id]);
  if (reading.state !== "ready") return <>{id}</>;
  return (
    <>
      {reading.data.name} ({id})
    </>
  );
}
