const word = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** validation.IsQualifiedName: a name of at most 63 characters, a DNS subdomain in front of it if any. */
export function isQualifiedName(text: string): boolean {
  const [name = '', prefix, more] = text.split('/').reverse();
  if (more !== undefined || name.length > 63) return false;
  if (prefix !== undefined && (prefix.length > 253 || !subdomain.test(prefix))) return false;
  return word.test(name);
}

/** validation.IsValidLabelValue. */
export function isLabelValue(text: string): boolean {
  return text === '' || (text.length <= 63 && word.test(text));
}
