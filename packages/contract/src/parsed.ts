import type { Static, TSchema } from 'typebox';

type Defaulted<Properties> = {
  [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never;
}[keyof Properties];

type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** The type of a value of `Schema` once it was checked: members with a default are always there. */
export type Parsed<Schema> = Schema extends TSchema
  ? Schema extends { readonly properties: infer Properties }
    ? Flat<
        Static<Schema> & {
          [Key in Defaulted<Properties> & keyof Static<Schema>]-?: Exclude<Static<Schema>[Key], undefined>;
        }
      >
    : Static<Schema>
  : never;
