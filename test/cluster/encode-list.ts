import { delimited, enveloped, number } from './wire-writer.ts';

/** The metadata of one object, as JSON spells it. */
export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
    readonly blockOwnerDeletion?: boolean;
  }[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly unknown[];
}

export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
}

/** A PartialObjectMetadataList, as the API server writes it. */
export function encodeList(items: readonly Metadata[], meta: ListMeta = {}): Buffer {
  const listMeta = Buffer.concat([
    delimited(1, ''),
    delimited(2, meta.resourceVersion ?? ''),
    delimited(3, meta.continue ?? ''),
  ]);
  const list = [delimited(1, listMeta), ...items.map((item) => delimited(2, encodeItem(item)))];
  return enveloped('PartialObjectMetadataList', Buffer.concat(list));
}

/** A single PartialObjectMetadata with its envelope. */
export function encodeObject(metadata: Metadata): Buffer {
  return enveloped('PartialObjectMetadata', encodeItem(metadata));
}

function encodeItem(metadata: Metadata): Buffer {
  return delimited(1, encodeMetadata(metadata));
}

function encodeMetadata(metadata: Metadata): Buffer {
  const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  return Buffer.concat([
    delimited(1, metadata.name),
    delimited(2, ''),
    delimited(3, metadata.namespace ?? ''),
    delimited(4, ''),
    delimited(5, metadata.uid ?? ''),
    delimited(6, metadata.resourceVersion ?? ''),
    number(7, metadata.generation ?? 0),
    delimited(8, encodeTime(creationTimestamp)),
    ...(deletionTimestamp === undefined ? [] : [delimited(9, encodeTime(deletionTimestamp))]),
    ...(deletionGracePeriodSeconds === undefined ? [] : [number(10, deletionGracePeriodSeconds)]),
    ...encodeMap(11, metadata.labels),
    ...encodeMap(12, metadata.annotations),
    ...(metadata.ownerReferences ?? []).map((reference) =>
      delimited(
        13,
        Buffer.concat([
          delimited(1, reference.kind),
          delimited(3, reference.name),
          delimited(4, reference.uid),
          delimited(5, reference.apiVersion),
          ...encodeBoolean(6, reference.controller),
          ...encodeBoolean(7, reference.blockOwnerDeletion),
        ]),
      ),
    ),
    ...(metadata.finalizers ?? []).map((finalizer) => delimited(14, finalizer)),
    ...(metadata.managedFields ?? []).map((entry) => delimited(17, JSON.stringify(entry))),
  ]);
}

function encodeMap(field: number, map: Readonly<Record<string, string>> = {}): Buffer[] {
  return Object.entries(map).map(([key, value]) =>
    delimited(field, Buffer.concat([delimited(1, key), delimited(2, value)])),
  );
}

function encodeBoolean(field: number, value: boolean | undefined): Buffer[] {
  return value === undefined ? [] : [number(field, value ? 1 : 0)];
}

/** The zero time is an empty message. */
function encodeTime(time: string | null | undefined): Buffer {
  if (!time) return Buffer.alloc(0);
  return Buffer.concat([number(1, Date.parse(time) / 1000), number(2, 0)]);
}
