import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { AnswerValues, Query, Reading } from './evidence.ts';

/** An answer, or why there is none. */
export type Answer =
  | { readonly readAt: string; readonly value: AnswerValues[Query['ask']] }
  | { readonly readAt: string; readonly because: string };

/** What is known so far, and, while a diagnosis runs over it, what it misses. */
export interface Inquiry {
  readonly types: ResourceTypes;
  /** Epoch milliseconds, by the server's clock. */
  readonly now: number;
  /** `files` cannot be asked for more than they hold. */
  readonly origin: 'cluster' | 'files';
  ask<Q extends Query>(query: Q): Reading<AnswerValues[Q['ask']]>;
}

/** Collects the questions that nobody has answered yet. */
export class Questions implements Inquiry {
  readonly types: ResourceTypes;
  readonly now: number;
  readonly origin: 'cluster' | 'files';
  readonly #answers: ReadonlyMap<string, Answer>;
  readonly #open = new Map<string, Query>();

  constructor(
    known: Pick<Inquiry, 'types' | 'now' | 'origin'>,
    answers: ReadonlyMap<string, Answer>,
  ) {
    this.types = known.types;
    this.now = known.now;
    this.origin = known.origin;
    this.#answers = answers;
  }

  get open(): readonly Query[] {
    return [...this.#open.values()];
  }

  ask<Q extends Query>(query: Q): Reading<AnswerValues[Q['ask']]> {
    const key = keyOf(query);
    const what = textOf(query);
    const answer = this.#answers.get(key);
    if (!answer) {
      this.#open.set(key, query);
      return { state: 'pending', what };
    }
    if ('because' in answer) return { state: 'unread', what, ...answer };
    const value = answer.value as AnswerValues[Q['ask']];
    return { state: 'read', what, readAt: answer.readAt, value };
  }
}

/** The same question has the same key. */
export function keyOf(query: Query): string {
  switch (query.ask) {
    case 'object':
      return `object ${nameOf(query)}`;
    case 'list':
      return `list ${groupResourceOf(query.type)} ${query.namespace ?? '*'} ${query.fields ?? ''} ${query.labels ?? ''}`;
    case 'content':
      return `content ${query.namespace ?? '*'}`;
    case 'rehearsal':
      return `rehearsal ${query.request.verb} ${nameOf(query.request)} ${JSON.stringify(query.request.body)} ${query.request.as?.name ?? ''}`;
    case 'access':
      return `access ${query.user.name} ${query.verb}`;
  }
}

/** What is being looked at, as evidence names it: `pods in shop`, `node/worker-1`. */
function textOf(query: Query): string {
  switch (query.ask) {
    case 'object':
      return nameOf(query);
    case 'list': {
      const only = [query.fields, query.labels].filter(Boolean).join(', ');
      const where = query.namespace === undefined ? '' : ` in ${query.namespace}`;
      return `${groupResourceOf(query.type)}${where}${only && ` (${only})`}`;
    }
    case 'content':
      return query.namespace === undefined
        ? 'every kind, everywhere'
        : `every kind in ${query.namespace}`;
    case 'rehearsal':
      return `server dry run of ${query.request.verb} ${nameOf(query.request)}${query.request.as ? ` as ${query.request.as.name}` : ''}`;
    case 'access':
      return `whether ${query.user.name} may ${query.verb} everything`;
  }
}

function nameOf(object: {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}): string {
  const where = object.namespace === '' ? '' : ` in ${object.namespace}`;
  return `${groupResourceOf(object.type)}/${object.name}${where}`;
}
