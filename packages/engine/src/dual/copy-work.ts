/** The part of an index that is to be copied: whatever the first engine has of it when it is copied. */
export class CopyWork {
  /** The index was deleted: what the second engine has of it is of an index that is gone. */
  isDropped = false;
  /** The index was made, or its definition changed. */
  isDefined = false;
  /** All documents were deleted, before those that are there now came. */
  isCleared = false;
  /** Everything is to be copied. */
  isWhole = false;
  areAllQueries = false;
  readonly documents = new Set<string>();
  /** Texts of queries that the index suggests. */
  readonly queries = new Set<string>();

  /** Forgets all but that the index was deleted. */
  drop(): void {
    Object.assign(this, { isDropped: true, isDefined: false, isCleared: false, isWhole: false, areAllQueries: false });
    this.documents.clear();
    this.queries.clear();
  }

  /** Joins work that was begun before this came, and failed. */
  joinOlder(older: CopyWork, documentsMax: number): void {
    if (this.isDropped) return;
    this.isDropped = older.isDropped;
    this.isDefined ||= older.isDefined;
    this.isCleared ||= older.isCleared;
    this.isWhole ||= older.isWhole;
    this.areAllQueries ||= older.areAllQueries;
    this.addDocuments(older.documents, documentsMax);
    for (const text of older.queries) this.queries.add(text);
  }

  /** Beyond the bound the index is copied as a whole. */
  addDocuments(ids: Iterable<string>, documentsMax: number): void {
    for (const id of ids) this.documents.add(id);
    if (this.documents.size <= documentsMax) return;
    this.documents.clear();
    this.isWhole = true;
  }
}
