/**
 * How a value is kept of an object, in JSON and in protobuf. What the API leaves out of JSON when it is
 * empty (`text`, `nonZero`, `trueOnly`, `labels`, lists) counts as unset in both.
 */
export type Form =
  | {
      readonly form:
        | 'string-or-empty'
        | 'integer'
        | 'non-zero'
        | 'seconds'
        | 'true-only'
        | 'optional-bool'
        | 'time'
        | 'micro-time'
        | 'plain-selector'
        | 'is-set'
        | 'certificate';
    }
  | { readonly form: 'text'; readonly repeats: boolean; readonly pattern?: RegExp }
  | { readonly form: 'labels'; readonly only?: ReadonlySet<string> }
  | { readonly form: 'list'; readonly of: Form }
  | ObjectForm;

export interface ObjectForm {
  readonly form: 'object';
  readonly fields: readonly NamedField[];
  /** The value is that of the only field, not an object around it. */
  readonly unwrapped: boolean;
  /** Entries that do not pass are left out. */
  readonly keep: ((value: object) => boolean) | undefined;
  /** The object has every field, undefined where it is unset: this one has none set. */
  readonly blank?: Readonly<Record<string, unknown>>;
}

/** A form that stands for values of type T. */
export type Shape<T> = Form & { readonly of?: unknown; readonly meaning?: T };

/** Where a value stands: under `path` in JSON, under field `numbers` in protobuf. */
export interface Field<T> {
  readonly path: readonly string[];
  readonly numbers: readonly number[];
  readonly shape: Shape<T>;
  /** The value where the field is unset, but what it is part of was read. */
  readonly fallback: T | undefined;
}

export interface NamedField extends Field<unknown> {
  readonly key: string;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What is kept of the fields of a kind, each where it is set. */
export type FactsOf<Of> = {
  readonly [Key in keyof Of]?: Of[Key] extends Field<infer T> ? T : never;
};

type FilledKeys<Of extends Fields> = {
  [Key in keyof Of]: undefined extends Of[Key]['fallback'] ? never : Key;
}[keyof Of];

/** The object that fields make: those with a fallback are always there. */
type ObjectOf<Of extends Fields> = FactsOf<Omit<Of, FilledKeys<Of>>> &
  Required<FactsOf<Pick<Of, FilledKeys<Of>>>>;

/** The same with all fields: undefined where they are unset and have no fallback. */
export type CompleteOf<Of extends Fields> = {
  readonly [Key in keyof Of]: Of[Key] extends Field<infer T>
    ? T | (undefined extends Of[Key]['fallback'] ? undefined : never)
    : never;
};

/** What a shape stands for; of a list, each entry. */
export type KeptBy<S> =
  S extends Shape<readonly (infer T)[]> ? T : S extends Shape<infer T> ? T : never;

export const text: Shape<string> = { form: 'text', repeats: true };
/** A text that differs in almost every object: not worth a lookup among the texts that are already stored. */
export const uniqueString: Shape<string> = { form: 'text', repeats: false };
/** The part of a text that matches; undefined of a text that does not contain any. */
export function textMatching(pattern: RegExp): Shape<string> {
  return { form: 'text', repeats: false, pattern };
}
/** Kept also when it is empty: among API groups that is the core group. */
export const stringOrEmpty: Shape<string> = { form: 'string-or-empty' };
/** A number of which 0 is set, as behind a pointer. */
export const integer: Shape<number> = { form: 'integer' };
/** A number of which 0 is unset. */
export const nonZero: Shape<number> = { form: 'non-zero' };
/** A duration of which 0 is set; the longest that Go's durations hold. */
export const seconds: Shape<number> = { form: 'seconds' };
/** Kept when true. */
export const trueOnly: Shape<boolean> = { form: 'true-only' };
/** Kept whether true or false, as behind a pointer. */
export const optionalBool: Shape<boolean> = { form: 'optional-bool' };
/** RFC 3339 in seconds. */
export const time: Shape<string> = { form: 'time' };
/** RFC 3339 in microseconds. */
export const microTime: Shape<string> = { form: 'micro-time' };
export const labels: Shape<Readonly<Record<string, string>>> = { form: 'labels' };
/** Only those with these keys. */
export function labelsAmong(only: ReadonlySet<string>): typeof labels {
  return { form: 'labels', only };
}
/** Kept as true when there is an object, whatever is in it. */
export const isSet: Shape<boolean> = { form: 'is-set' };

export function list<T>(of: Shape<T>): Shape<readonly T[]> {
  return { form: 'list', of };
}

export function object<Of extends Fields>(
  fields: Of,
  keep?: (value: object) => boolean,
): Shape<ObjectOf<Of>> {
  return { form: 'object', fields: namedFields(fields), unwrapped: false, keep };
}

/** A list of objects, of which those are kept that pass. */
export function objects<Of extends Fields>(fields: Of, keep?: (value: object) => boolean) {
  return list(object(fields, keep));
}

/** An object that has every field, so that all of them share one hidden class. */
export function complete<Of extends Fields>(of: Of): Shape<CompleteOf<Of>> {
  const fields = namedFields(of);
  return { form: 'object', fields, unwrapped: false, keep: undefined, blank: unsetFields(fields) };
}

/** A field inside an object whose other fields are not kept. */
export function within<T>(path: string, numbers: string, shape: Shape<T>): Shape<T> {
  const field = { key: path, ...at(path, numbers, shape) };
  return { form: 'object', fields: [field], unwrapped: true, keep: undefined } as Shape<T>;
}

/** `at('spec.nodeName', '2.10', text)`: the path in JSON and the field numbers of the .proto files. */
export function at<T>(path: string, numbers: string, shape: Shape<T>): Field<T>;
export function at<T>(
  path: string,
  numbers: string,
  shape: Shape<T>,
  fallback: NoInfer<T>,
): Field<T> & { readonly fallback: T };
export function at<T>(path: string, numbers: string, shape: Shape<T>, fallback?: T): Field<T> {
  return { path: path.split('.'), numbers: numbers.split('.').map(Number), shape, fallback };
}

export function objectAt<Of extends Fields>(path: string, numbers: string, fields: Of) {
  return at(path, numbers, object(fields));
}

export function objectsAt<Of extends Fields>(path: string, numbers: string, fields: Of) {
  return at(path, numbers, objects(fields));
}

export function namedFields(fields: Fields): readonly NamedField[] {
  return Object.entries(fields).map(([key, field]) => ({ key, ...field }));
}

/** The object in which no field is set. */
export function unsetFields(fields: readonly NamedField[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.map(({ key, fallback }) => [key, fallback]));
}

/** A reference to an object, as far as it leads there. */
export const partialReference = object({
  kind: at('kind', '1', text),
  namespace: at('namespace', '2', text),
  name: at('name', '3', text, ''),
  uid: at('uid', '4', text),
});
