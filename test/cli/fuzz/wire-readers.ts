import { readdirSync, readFileSync } from 'node:fs';
import { readList } from '../../../src/cluster/list/list-objects.ts';
import { decodeItem } from '../../../src/cluster/protobuf/decode-item.ts';
import { StringPool } from '../../../src/cluster/protobuf/string-pool.ts';
import {
  envelopedObject,
  WireError,
  WireReader,
} from '../../../src/cluster/protobuf/wire-reader.ts';
import { UnreadableJson } from '../../../src/cluster/read-body.ts';
import { GcError } from '../../../src/errors.ts';
import type { ResourceType } from '../../../src/kube/resource-type.ts';
import { builtIn } from '../../cluster/built-in.ts';
import { protobuf } from '../../cluster/fake-client.ts';
import { type Reader, readerOf } from './reader.ts';

const folder = new URL('../../cluster/recorded/', import.meta.url);

/** Lists as real API servers wrote them; each example begins with the number of its type. */
function recorded(ending: string) {
  const inFolder = (name: string, type: string) => ({
    type: builtIn(type),
    bytes: readFileSync(new URL(name, folder)),
  });
  const typed = readdirSync(new URL('facts/', folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => inFolder(`facts/${name}`, name.slice(0, -ending.length)));
  const plain = ['pods', 'namespaces', 'persistentvolumes', 'persistentvolumeclaims'];
  return {
    metadata: [inFolder(`pods-metadata${ending}`, 'pods')],
    full: [...typed, ...plain.map((name) => inFolder(name + ending, name))],
  };
}

async function readAs(type: ResourceType, bytes: Buffer, cut: number, isJson: boolean) {
  const { headers = {} } = protobuf(Buffer.alloc(0));
  const at = cut % (bytes.length + 1);
  const response = {
    status: 200,
    headers: isJson ? { 'content-type': 'application/json' } : headers,
    body: (async function* () {
      yield bytes.subarray(0, at);
      yield bytes.subarray(at);
    })(),
  };
  await readList(response, type, new StringPool(64), []);
}

/** The reader of an answer says what is wrong with it; who asked adds which list it was. */
function ofAnswer(error: unknown): never {
  if (!(error instanceof WireError || error instanceof UnreadableJson)) throw error;
  throw new GcError(error.message, { code: 'unreadable-answer' });
}

/** Readers of what API servers answer. */
export function wireReaders(): readonly Reader[] {
  const wire = recorded('.pb');
  const json = recorded('.json');
  const reader = (
    text: string,
    lists: readonly { readonly type: ResourceType; readonly bytes: Buffer }[],
  ): Reader =>
    readerOf(
      `${text} | answer`,
      lists.map(({ bytes }) => bytes),
      async (path, question) => {
        const { type = builtIn('pods') } = lists[question % lists.length] ?? {};
        const isJson = text.endsWith('json');
        await readAs(type, readFileSync(path), question * 7919, isJson).catch(ofAnswer);
        return 'whole';
      },
      { names: /./ },
    );
  const example = readFileSync(new URL('pod-metadata.pb', folder));
  const readItem = async (path: string) => {
    const item = new WireReader(envelopedObject(readFileSync(path)));
    decodeItem(item, builtIn('pods'), new StringPool(16));
    return 'whole' as const;
  };
  return [
    reader('protobuf lists of metadata | bytes', wire.metadata),
    reader('protobuf lists of objects | bytes', wire.full),
    reader('lists in JSON | json', [...json.metadata, ...json.full]),
    readerOf(
      'an object in protobuf | bytes | answer',
      [example],
      (path) => readItem(path).catch(ofAnswer),
      { names: /./ },
    ),
  ];
}
