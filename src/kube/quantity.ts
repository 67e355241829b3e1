const suffixes: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

const shape = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|([a-zA-Z]*))$/;

/** The number that a Kubernetes quantity stands for (`100Mi`, `1.5G`, `1e9`); undefined for anything else. */
export function parseQuantity(text: string): number | undefined {
  const [, digits, exponent, suffix = ''] = shape.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const factor = exponent === undefined ? suffixes[suffix] : 10 ** Number(exponent);
  return factor === undefined ? undefined : Number(digits) * factor;
}
