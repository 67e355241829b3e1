import { apiVersionOf } from '../kube/resource-type.ts';
import { apiServiceLink } from './api-service-link.ts';
import type { Content } from './evidence.ts';
import type { Inquiry } from './inquiry.ts';
import { type Link, link } from './link.ts';
import { conversionLink } from './webhook-links.ts';

/** All that could not be read, each with its reason where it shows: an API that is down, a webhook. */
export function unreadKindLinks(inquiry: Inquiry, unread: Content['unread']): Link[] {
  const failed = inquiry.types.failed.map(({ group, version, message }) =>
    apiServiceLink(inquiry, group, version, message),
  );
  return [...failed, ...unlistableLinks(inquiry, unread)];
}

/** Kinds that are served but cannot be listed: one link for each broken webhook, one for the rest. */
export function unlistableLinks(inquiry: Inquiry, unread: Content['unread']): Link[] {
  const undiscovered = new Set(inquiry.types.failed.map(({ group }) => group));
  const served = unread.filter(({ resource }) => !undiscovered.has(resource.split('/')[0] ?? ''));
  const converted = served.filter(({ because }) => because.includes('conversion webhook'));
  const others = served.filter((one) => !converted.includes(one));
  const links = converted.map(({ resource, because }) =>
    conversionLink(inquiry, resource, because),
  );
  const [first] = others;
  if (!first) return links;
  const type = inquiry.types.versions(first.resource)[0];
  const kinds = {
    apiVersion: type ? apiVersionOf(type) : '',
    kind: others.length === 1 ? (type?.kind ?? first.resource) : `${others.length} kinds`,
    namespace: '',
    name: '*',
    uid: '',
  };
  const shown = others.slice(0, 3).map(({ resource }) => resource);
  const more = others.length - shown.length;
  const names = `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  links.push(
    link(kinds, 'unknown', 'unknown', `${names} could not be read: ${first.because}`, {
      evidence: [],
      next: first.because.includes('forbidden')
        ? 'Ask as somebody who may list them.'
        : inquiry.origin === 'files'
          ? 'Ask the cluster, or say with --complete that the input holds all of it.'
          : 'Find out why they cannot be listed.',
    }),
  );
  return links;
}
