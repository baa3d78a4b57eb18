// The title of the tab, which names the screen.
// Invariant: two screens never share a title.
import { useEffect } from "preact/hooks";

export function useTitle(words: string): void {
  useEffect(() => {
    document.title = `${words} · Firstprint`;
  }, [words]);
}
