// Signing in with a key, and out again.
// Invariant: the dialog is asked for from anywhere, and stands in the page once.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isSignedIn, signOut } from "../session.ts";
import { isAsked } from "./key-asked.ts";

export function SignIn() {
  const [Dialog, setDialog] = useState<ComponentType>();
  const wanted = isAsked.value;
  useEffect(() => {
    if (wanted) void import("./key-dialog.tsx").then(({ KeyDialog }) => setDialog(() => KeyDialog));
  }, [wanted]);
  return isSignedIn.value ? (
    <button type="button" class="button slim" onClick={signOut}>
      Sign out
    </button>
  ) : (
    <>
      <button
        type="button"
        class="button slim"
        onClick={() => {
          isAsked.value = true;
        }}
      >
        Sign in
      </button>
      {Dialog !== undefined && <Dialog />}
    </>
  );
}
