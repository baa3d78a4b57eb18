// The width that a drawing has, so that its letters keep their size on every screen.
// Invariant: it is measured after each change of the layout, never guessed from the window.
import { useEffect, useState } from "preact/hooks";

export function useWidth(element: { readonly current: Element | null }, first: number): number {
  const [width, setWidth] = useState(first);
  useEffect(() => {
    if (element.current === null) return undefined;
    const watcher = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(240, Math.round(entry.contentRect.width)));
    });
    watcher.observe(element.current);
    return () => watcher.disconnect();
  }, [element]);
  return width;
}
