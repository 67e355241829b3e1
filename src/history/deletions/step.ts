import type { AuditedRequest } from '../audited-request.ts';
import type { Lifetime } from './lifetime.ts';
import type { RemovalLink } from './removal.ts';

/** Why one object was deleted, and where the chain goes on. */
export interface Step {
  readonly links: readonly RemovalLink[];
  /** The object whose end was the reason. */
  readonly above?: Lifetime | undefined;
  /** Another end can have been the reason: all further links are `might be`. */
  readonly isDoubtful?: boolean | undefined;
}

/** The request that began a deletion, and the link that it proves. */
export interface Began {
  readonly request: AuditedRequest;
  readonly link: RemovalLink;
}
