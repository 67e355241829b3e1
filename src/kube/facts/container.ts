import { at, list, object, text, within } from './shape.ts';

/** Of a container, what tells whose it is and which Secrets it reads. */
export interface Container {
  readonly name: string;
  readonly image?: string;
  /** Secrets that single environment variables are taken from. */
  readonly env?: readonly string[];
  /** Secrets that are environment variables as a whole. */
  readonly envFrom?: readonly string[];
}

export const containers = list(
  object<Container>({
    name: at('name', '1', text, ''),
    image: at('image', '2', text),
    env: at('env', '7', list(within('valueFrom.secretKeyRef.name', '3.4.1.1', text))),
    envFrom: at('envFrom', '19', list(within('secretRef.name', '3.1.1', text))),
  }),
);

/** The fields of an ephemeral container are numbered within another message. */
export const ephemeralContainers = list(
  object<Container>({
    name: at('name', '1.1', text, ''),
    image: at('image', '1.2', text),
    env: at('env', '1.7', list(within('valueFrom.secretKeyRef.name', '3.4.1.1', text))),
    envFrom: at('envFrom', '1.19', list(within('secretRef.name', '3.1.1', text))),
  }),
);
