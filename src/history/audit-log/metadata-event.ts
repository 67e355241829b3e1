import { guardWebhook } from '../../programs/deletion-approval.ts';
import { type EventFields, preciseTimeIn } from './event-fields.ts';
import { characters, type FirstFields, plain } from './unneeded-events.ts';

/** Of JSON (RFC 8259): a text, a list of texts, and a map of texts to values. */
const jsonText = `"${characters}"`;
const jsonTexts = String.raw`\[(?:${jsonText}(?:,${jsonText})*)?\]`;
const mapOf = (value: string, key = jsonText) =>
  String.raw`\{(?:${key}:${value}(?:,${key}:${value})*)?\}`;
/** The name of a user, and behind it a uid, groups, and what an authenticator added. */
const user = String.raw`\{"username":"(${plain})"(?:,${jsonText}:(?:${jsonText}|${jsonTexts}|${mapOf(jsonTexts)}))*\}`;

/** Behind the first fields of audit.k8s.io/v1 Event, the further ones in the order in which they are declared: so Go writes them. */
const furtherFields = new RegExp(
  [
    `"user":${user},(?:"impersonatedUser":${user},)?`,
    `(?:"sourceIPs":${jsonTexts},)?(?:"userAgent":"(${plain})",)?`,
    String.raw`"objectRef":\{"resource":"(${plain})"(?:,"namespace":"(${plain})")?(?:,"name":"(${plain})")?`,
    `(?:,"uid":"(${plain})")?(?:,"apiGroup":"(${plain})")?(?:,"apiVersion":${jsonText})?`,
    String.raw`(?:,"resourceVersion":${jsonText})?(?:,"subresource":"(${plain})")?\},`,
    String.raw`"responseStatus":\{"metadata":\{\},(?:"status":"Success",)?`,
    String.raw`(?:"details":\{(?:"name":${jsonText},)?(?:"group":${jsonText},)?(?:"kind":${jsonText},)?"uid":"(${plain})"\},)?`,
    String.raw`"code":(\d{3})\},"requestReceivedTimestamp":"(${plain})","stageTimestamp":"(${plain})"`,
    String.raw`(?:,"annotations":${mapOf(jsonText, `(?!"${guardWebhook}/)${jsonText}`)})?\}$`,
  ].join(''),
  'y',
);

/**
 * An event of level Metadata and stage ResponseComplete, as the API server writes it: what is kept of it is read in half of the
 * time that JSON.parse takes for all of it. Undefined for any other line. Without addresses and annotations: who needs these
 * parses the line.
 */
export function metadataEventIn(
  line: string,
  { level, auditId, uri, verb, end }: FirstFields,
): EventFields | undefined {
  furtherFields.lastIndex = end;
  const found = level === 'Metadata' ? furtherFields.exec(line) : null;
  if (!found) return undefined;
  // biome-ignore format: in the order of the pattern
  const [
    , user = '', impersonated = '', userAgent = '', resource = '', namespace = '', name = '',
    uid = '', group = '', subresource = '', removedUid = '', code, received, answered,
  ] = found;
  const receivedAt = preciseTimeIn(received);
  const answeredAt = preciseTimeIn(answered);
  if (receivedAt === undefined || answeredAt === undefined) return undefined;
  return {
    auditId,
    isAnswered: true,
    receivedAt,
    answeredAt,
    verb,
    uri,
    user,
    impersonated,
    userAgent,
    group,
    resource,
    subresource,
    namespace,
    name,
    uid,
    removedUid,
    status: Number(code),
    rest: noRest,
  };
}

const noRest = {};
