/** A flag that may stand alone, as kubectl's `--cascade`. */
export interface OptionalValue {
  /** The value it has when it stands alone. */
  readonly bare: string;
  /** A pattern: a following word like this is the value all the same. */
  readonly following?: string;
}

/** Lets a flag stand alone; the argument normaliser reads this off the flag. */
export function optionalValue<Flag extends object>(
  flag: Flag,
  { bare, following }: OptionalValue,
): Flag {
  return Object.assign(flag, { bare, ...(following !== undefined && { following }) });
}
