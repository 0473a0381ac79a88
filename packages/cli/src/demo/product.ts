/** A document of the sample catalogue, as it is sent to the server. */
export interface Product {
  readonly _id: string;
  readonly title: string;
  readonly description: string;
  readonly brand: string;
  readonly category: string;
  readonly subcategory: string;
  readonly colour: string;
  readonly price: number;
  /** 1 to 5, one decimal. */
  readonly rating: number;
  readonly reviewCount: number;
  /** Pieces left; 0 is sold out. */
  readonly stock: number;
  readonly tags: readonly string[];
  /** Seconds since 1970, UTC. */
  readonly createdAt: number;
  readonly updatedAt: number;
}
