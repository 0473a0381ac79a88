/** Values by the id of a product: ids are one however their letters are encoded, as they are to an index. */
export class IdMap<T> extends Map<string, T> {
  override get(id: string): T | undefined {
    return super.get(id.normalize());
  }

  override has(id: string): boolean {
    return super.has(id.normalize());
  }

  override set(id: string, value: T): this {
    return super.set(id.normalize(), value);
  }

  override delete(id: string): boolean {
    return super.delete(id.normalize());
  }
}
