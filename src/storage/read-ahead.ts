// Pieces of something long, each asked for while the one before is read.
// Invariant: the pieces come in their order, and a fault comes where its piece would have.

/**
 * `ask` is told the piece before, undefined at first, and answers undefined after the last. One
 * piece more is asked for than is taken where the reader stops early.
 */
export async function* readAhead<Piece>(
  ask: (before: Piece | undefined) => Promise<Piece> | undefined,
): AsyncGenerator<Piece> {
  for (let next = ask(undefined); next !== undefined; ) {
    const piece = await next;
    next = ask(piece);
    // The reader that takes it meets its fault; where none does, nobody else may.
    next?.catch(() => undefined);
    yield piece;
  }
}
