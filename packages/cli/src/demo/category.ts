/** One shelf of the sample shop, a file of `catalogue/`; the generator crosses its parts into products. */
export interface Category {
  readonly name: string;
  /** Invented makers and model series; a product is `maker series kind`. */
  readonly brands: readonly string[];
  readonly series: readonly string[];
  readonly colours: readonly string[];
  /** Sentences that may close the description of any product here: care, warranty, packing. */
  readonly closings: readonly string[];
  readonly families: readonly Family[];
}

export interface Family {
  readonly name: string;
  readonly tags: readonly string[];
  /** Lowest and highest price, in whole currency units. */
  readonly price: { readonly low: number; readonly high: number };
  readonly kinds: readonly Kind[];
  /** Sentences true of every kind of the family; a product takes two of them. */
  readonly details: readonly string[];
}

export interface Kind {
  /** The name of the thing in the title of a product. */
  readonly title: string;
  /** Two or three sentences on its use. */
  readonly lead: string;
}
