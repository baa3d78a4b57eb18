-- What the audit trail is searched by besides: the resource of an entry, and further actions in it,
-- as subjects `action:order.placed` of journal_touch. Drawn from the bytes; the next leader draws
-- them for entries that were here before (src/journal/redraw.ts).
ALTER TABLE journal ADD COLUMN resource text;

-- By which rules the columns and rows beside the entries were drawn.
CREATE TABLE drawn (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  rules integer NOT NULL
);
INSERT INTO drawn (rules) SELECT CASE WHEN EXISTS (SELECT FROM journal) THEN 1 ELSE 2 END;
