const wordFormat = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelFormat = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomainFormat = `${labelFormat}(\\.${labelFormat})*`;
const word = new RegExp(`^${wordFormat}$`);
const subdomain = new RegExp(`^${subdomainFormat}$`);
const consistOf =
  "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const wordRule = `must ${consistOf} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${wordFormat}')`;
const valueRule = `a valid label must be an empty string or ${consistOf} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${wordFormat})?')`;
const subdomainRule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomainFormat}')`;

/** validation.IsQualifiedName: a name of at most 63 characters, a DNS subdomain in front of it if any. */
export function isQualifiedName(text: string): boolean {
  return qualifiedNameFaults(text).length === 0;
}

/** What is wrong with a qualified name, in the API server's words. Mirrors content.IsLabelKey. */
export function qualifiedNameFaults(text: string): string[] {
  const [name = '', prefix, more] = text.split('/').reverse();
  if (more !== undefined) {
    return [
      `a valid label key ${wordRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const faults: string[] = [];
  if (prefix === '') faults.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    if (prefix.length > 253) faults.push('prefix part must be no more than 253 bytes');
    if (!subdomain.test(prefix)) faults.push(`prefix part ${subdomainRule}`);
  }
  if (name === '') faults.push('name part must be non-empty');
  else if (name.length > 63) faults.push('name part must be no more than 63 bytes');
  if (!word.test(name)) faults.push(`name part ${wordRule}`);
  return faults;
}

/** validation.IsValidLabelValue. */
export function isLabelValue(text: string): boolean {
  return labelValueFaults(text).length === 0;
}

/** The same for a label's value. Mirrors content.IsLabelValue. */
export function labelValueFaults(text: string): string[] {
  const faults: string[] = [];
  if (text.length > 63) faults.push('must be no more than 63 bytes');
  if (text !== '' && !word.test(text)) faults.push(valueRule);
  return faults;
}
