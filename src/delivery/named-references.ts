import { type UsedKind, type UsedName, usedKinds } from '../kube/pod-references.ts';

/** What an object names in a field for it. */
export interface NamedReference extends UsedName {
  /** Unset: the namespace of the object that names it, or none for a kind that is in none. */
  readonly namespace: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields that name an object by a text: `claimName`, `tlsSecretName`, `storageClassName`. */
const nameFields: readonly (readonly [RegExp, UsedKind])[] = [
  [/^claimName$|persistentVolumeClaimName$/i, 'PersistentVolumeClaim'],
  [/secretName$/i, 'Secret'],
  [/configMapName$/i, 'ConfigMap'],
  [/serviceAccountName$/i, 'ServiceAccount'],
  [/storageClass(?:Name)?$/i, 'StorageClass'],
  [/priorityClassName$/i, 'PriorityClass'],
  [/runtimeClassName$/i, 'RuntimeClass'],
];

/** Fields that name one by an object with a `name`: `secretKeyRef`, `imagePullSecrets`, `passwordSecretRef`, `configMap`. */
const objectFields: readonly (readonly [RegExp, UsedKind])[] = [
  [/secrets?(?:key)?(?:ref(?:erence)?s?)?$/i, 'Secret'],
  [/configmaps?(?:key)?(?:ref(?:erence)?s?)?$/i, 'ConfigMap'],
];

const kindsOfFields: ReadonlySet<unknown> = new Set(Object.values(usedKinds));

/** Volumes and the sources of projected ones are called so. */
const volumeFields: ReadonlySet<string> = new Set(['persistentVolumeClaim', 'secret', 'configMap']);

/** What an object names anywhere in it, whatever its kind: custom resources follow the conventions of the API, too. */
export function referencesIn(object: unknown): NamedReference[] {
  const found: NamedReference[] = [];
  const waiting: { readonly field: string; readonly value: unknown }[] = [
    { field: '', value: object },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { field, value } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const entry of value) waiting.push({ field, value: entry });
      continue;
    }
    // A volume names its claim back.
    if (field === 'claimRef') continue;
    found.push(...referencesAt(field, value as Fields));
    for (const [key, entry] of Object.entries(value)) waiting.push({ field: key, value: entry });
  }
  return found;
}

function referencesAt(field: string, value: Fields): NamedReference[] {
  const namespace = textIn(value.namespace);
  const isMounted = volumeFields.has(field);
  const how = { isMounted, ...(value.optional === true && { isOptional: true }) };
  const byText = Object.entries(value).flatMap(([key, text]) => {
    const name = textIn(text);
    const kind = name === undefined ? undefined : kindNamedBy(nameFields, key);
    return name !== undefined && kind ? [{ kind, namespace, name, ...how }] : [];
  });
  const name = textIn(value.name);
  if (name === undefined) return byText;
  const kind =
    kindIn(value) ?? (value.kind === undefined ? kindNamedBy(objectFields, field) : undefined);
  const kinds = kind ? [kind] : isKeySelector(value) ? keySelected : [];
  return [...byText, ...kinds.map((one) => ({ kind: one, namespace, name, ...how }))];
}

/** SecretKeySelector and ConfigMapKeySelector of core/v1, as in `basicAuth.username` of a ServiceMonitor: it may be of either kind. */
function isKeySelector({ name, key, optional, ...others }: Fields): boolean {
  return textIn(key) !== undefined && Object.keys(others).length === 0;
}

const keySelected: readonly UsedKind[] = ['Secret', 'ConfigMap'];

/** Annotations that name one, with or without its namespace: `nginx.ingress.kubernetes.io/auth-secret`. */
const annotationNames: readonly (readonly [RegExp, UsedKind])[] = [
  [/secret(?:-?name|-?ref)?$/i, 'Secret'],
  [/config-?map(?:-?name|-?ref)?$/i, 'ConfigMap'],
];

export function referencesInAnnotations(
  annotations: Readonly<Record<string, unknown>>,
): NamedReference[] {
  return Object.entries(annotations).flatMap(([key, value]) => {
    const kind = kindNamedBy(annotationNames, key);
    const [name, namespace, ...others] = (textIn(value) ?? '').split('/').reverse();
    return kind && name && others.length === 0 ? [{ kind, namespace, name, isMounted: false }] : [];
  });
}

/** The kind that the object of a field says itself, as `valuesFrom` of Flux does. */
function kindIn({ kind, apiVersion = 'v1', apiGroup = '' }: Fields): UsedKind | undefined {
  const isCore = apiVersion === 'v1' && apiGroup === '';
  return isCore && kindsOfFields.has(kind) ? (kind as UsedKind) : undefined;
}

function kindNamedBy(
  fields: readonly (readonly [RegExp, UsedKind])[],
  key: string,
): UsedKind | undefined {
  return fields.find(([pattern]) => pattern.test(key))?.[1];
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
