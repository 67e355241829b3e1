import packageJson from '../../../../package.json' with { type: 'json' };
import { trimmedRight } from '../../../kube/names.ts';

interface Package {
  readonly name: string;
  readonly homepage?: string;
}

/** The file of a rule's page, in the package. */
export function rulePage(id: string): string {
  return `docs/rules/${id}.md`;
}

/** Where the page can be read on the web: below the `homepage` of package.json; undefined while that names no OWNER. */
export function rulePageUrl(id: string, { homepage }: Package = packageJson): string | undefined {
  if (homepage === undefined || homepage.includes('/OWNER/')) return undefined;
  return `${trimmedRight(homepage, '/')}/${rulePage(id)}`;
}
