import { leadsElsewhere } from '../../kube/names.ts';
import type { ResourceType } from '../../kube/resource-type.ts';

/** Once so many objects of a kind could not be read, the server is not asked for the others of it. */
const mostFailures = 3;

/** The kinds of which a server fails to answer for single objects. */
export class FailingKinds<Failure> {
  readonly #failures = new Map<ResourceType, { readonly first: Failure; readonly count: number }>();

  /** The first failure, where there were too many to ask for another object of the kind. */
  of(type: ResourceType): Failure | undefined {
    const known = this.#failures.get(type);
    return known && known.count >= mostFailures ? known.first : undefined;
  }

  /** Notes that this object could not be read. Of names that no path can hold, the server is not asked. */
  note(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    type: ResourceType,
    failure: Failure,
  ): void {
    if (leadsElsewhere(name) || leadsElsewhere(namespace)) return;
    const { first = failure, count = 0 } = this.#failures.get(type) ?? {};
    this.#failures.set(type, { first, count: count + 1 });
  }
}

/** Of an object that is not asked for: why others of its kind could not be read. */
export function notAskedFor(message: string): string {
  return `${message}; others of its kind were not asked for`;
}
