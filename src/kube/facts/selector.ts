import { at, labels, list, object, type Shape, text } from './shape.ts';

/** spec.selector of what controls pods; the plain map of older kinds is kept as matchLabels. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

export interface LabelRequirement {
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  readonly values?: readonly string[];
}

export const labelSelector = object<LabelSelector>({
  matchLabels: at('matchLabels', '1', labels),
  matchExpressions: at(
    'matchExpressions',
    '2',
    list(
      object<LabelRequirement>({
        key: at('key', '1', text, ''),
        operator: at('operator', '2', text, ''),
        values: at('values', '3', list(text)),
      }),
    ),
  ),
});

/** The map of a ReplicationController or a Service. */
export const plainSelector: Shape<LabelSelector> = { form: 'plain-selector' };
