import { usageError } from '../errors.ts';

type Mapping = Readonly<Record<string, unknown>>;

/**
 * Typed access to the fields of a parsed kubeconfig. Missing and null are the zero value, a wrong
 * type is an error that names the field and never its value, which may be a secret.
 */
export class KubeconfigFields {
  readonly #mapping: Mapping;
  readonly #path: string;
  readonly file: string;

  constructor(value: unknown, file: string, path = '') {
    this.file = file;
    this.#path = path;
    if (value !== undefined && value !== null && !isMapping(value)) throw this.#invalid('', value);
    this.#mapping = isMapping(value) ? value : {};
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  raw(name: string): unknown {
    return Object.hasOwn(this.#mapping, name) ? (this.#mapping[name] ?? undefined) : undefined;
  }

  text(name: string): string {
    const value = this.raw(name) ?? '';
    if (typeof value !== 'string') throw this.#invalid(name, value, 'text');
    return value;
  }

  base64(name: string): string {
    const data = this.text(name);
    if (/^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/.test(data)) return data;
    throw invalidKubeconfig(this.file, `${this.#pathOf(name)} is not base64`);
  }

  flag(name: string): boolean {
    const value = this.raw(name) ?? false;
    if (typeof value === 'boolean') return value;
    // kubectl reads YAML 1.1, where these are booleans too.
    if (value === 'yes' || value === 'on' || value === 'y') return true;
    if (value === 'no' || value === 'off' || value === 'n') return false;
    throw this.#invalid(name, value, 'true or false');
  }

  texts(name: string): readonly string[] {
    return this.#list(name).map((value, index) => {
      if (typeof value !== 'string') throw this.#invalid(`${name}[${index}]`, value, 'text');
      return value;
    });
  }

  fields(name: string): KubeconfigFields {
    return new KubeconfigFields(this.raw(name), this.file, this.#pathOf(name));
  }

  items(name: string): readonly KubeconfigFields[] {
    return this.#list(name).map(
      (value, index) => new KubeconfigFields(value, this.file, this.#pathOf(`${name}[${index}]`)),
    );
  }

  names(): readonly string[] {
    return Object.keys(this.#mapping);
  }

  #list(name: string): readonly unknown[] {
    const value = this.raw(name) ?? [];
    if (!Array.isArray(value)) throw this.#invalid(name, value, 'a list');
    return value;
  }

  #pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  #invalid(name: string, value: unknown, wanted = 'a mapping') {
    const path = name === '' ? this.#path || 'the document' : this.#pathOf(name);
    return invalidKubeconfig(this.file, `${path} must be ${wanted}, not ${kindOf(value)}`);
  }
}

export function invalidKubeconfig(file: string, why: string) {
  return usageError(
    'kubeconfig-invalid',
    `kubeconfig ${file} cannot be used: ${why}`,
    'Correct the file, or name another one with --kubeconfig.',
  );
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}
