import {
  fieldAt,
  fieldsListOf,
  fieldsOf,
  type Json,
  jsonOf,
  numberOf,
  textAt,
  textOrEmpty,
} from '../../kube/json-value.ts';

/** An event; the text of one, still to be parsed; or undefined for what is neither. */
export type AuditPart = Json | string | undefined;

/** Fields of JSON documents whose lists hold events, in envelopes or without. */
export const listFields = ['items', 'events', 'logEvents', 'records', 'results'] as const;

/** Lists stand in lists at most so deep: an export's array of answers, each with a list. Nesting takes some of the stack. */
const deepest = 3;

/** Of JSON that a log, a webhook or a cloud wrote: the audit events in it. */
export function auditPartsIn(value: unknown, depth = 0): readonly AuditPart[] {
  if (depth > deepest) return [undefined];
  if (!Array.isArray(value)) {
    const json = jsonOf(value);
    return json ? partsOfObject(json, depth) : [undefined];
  }
  // Logs Insights answers with a list of fields for each line: aws logs get-query-results.
  if (typeof jsonOf(value[0])?.field === 'string') {
    const fields = fieldsListOf(value).map(({ field, value }) => [textOrEmpty(field), value]);
    return partsOfObject(Object.fromEntries(fields), depth);
  }
  return value.flatMap((one) => auditPartsIn(one, depth + 1));
}

function partsOfObject(json: Json, depth: number): readonly AuditPart[] {
  // The items of an EventList have neither kind nor apiVersion.
  if (typeof json.auditID === 'string' && typeof json.stage === 'string') return [json];
  if (jsonOf(json.protoPayload)) return googleEvents(json);
  if (typeof json.AuditId === 'string') return [azureEvent(json)];
  const message = messageIn(json);
  if (typeof message === 'string') return message.trimStart().startsWith('{') ? [message] : [];
  if (message) return auditPartsIn(message, depth + 1);
  // Another entry of Cloud Logging, or of Azure Monitor.
  if (typeof json.logName === 'string' || typeof json.category === 'string') return [];
  if (Array.isArray(json.tables)) {
    return fieldsListOf(json.tables).flatMap((table) => partsOfTable(table, depth));
  }
  const lists = listFields.map((field) => json[field]);
  const list = lists.find(Array.isArray);
  return list ? auditPartsIn(list, depth) : [undefined];
}

/** CloudWatch, its console and its subscriptions; Azure Monitor's two forms; a container's log. */
function messageIn(json: Json): string | Json | undefined {
  const { message, log, log_s: column, properties } = json;
  // In an export of Log Analytics, the value of a dynamic column is the text of its JSON.
  const ofProperties = jsonOf(parsed(properties))?.log;
  for (const one of [json['@message'], message, column, log, ofProperties]) {
    if (typeof one === 'string' || jsonOf(one)) return one as string | Json;
  }
  return undefined;
}

/** An answer of Log Analytics: names of columns, and rows of values. */
function partsOfTable({ columns, rows }: Json, depth: number): readonly AuditPart[] {
  const names = fieldsListOf(columns).map(({ name }) => textOrEmpty(name));
  if (!Array.isArray(rows)) return [undefined];
  return rows.flatMap((row) => {
    const fields = Array.isArray(row) ? names.map((name, at) => [name, row[at]]) : [];
    return auditPartsIn(Object.fromEntries(fields), depth + 1);
  });
}

/** A row of AKSAudit or AKSAuditAdmin, whose columns are an event's fields under other names. */
function azureEvent(row: Json): Json {
  return {
    level: row.Level,
    auditID: row.AuditId,
    stage: row.Stage,
    requestURI: row.RequestUri,
    verb: row.Verb,
    user: parsed(row.User),
    sourceIPs: parsed(row.SourceIps),
    userAgent: row.UserAgent,
    objectRef: parsed(row.ObjectRef),
    responseStatus: parsed(row.ResponseStatus),
    requestObject: parsed(row.RequestObject),
    responseObject: parsed(row.ResponseObject),
    requestReceivedTimestamp: row.RequestReceivedTime,
    stageTimestamp: row.StageReceivedTime ?? row.TimeGenerated,
  };
}

/** A dynamic column is JSON, or its text; a large object is only a remark that it was left out, which stays a text. */
function parsed(column: unknown): unknown {
  if (typeof column !== 'string') return column;
  if (column === '') return undefined;
  try {
    return JSON.parse(column);
  } catch {
    return column;
  }
}

/** google.rpc.Code to HTTP, as google/rpc/code.proto maps them. */
const httpCodes = [
  200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401,
];

/** Cloud Audit Logs of Google Kubernetes Engine (google.cloud.audit.AuditLog of the service k8s.io). */
function googleEvents(entry: Json): readonly Json[] {
  const payload = fieldsOf(entry.protoPayload);
  const method = textOrEmpty(payload.methodName);
  // Other services of Google Cloud write to the same log.
  if (!method.startsWith('io.k8s.') && payload.serviceName !== 'k8s.io') return [];
  const { id, first, last } = fieldsOf(entry.operation);
  const code = numberOf(fieldAt(payload, 'status.code')) ?? 0;
  const status = isStatus(payload.response) ? fieldsOf(payload.response) : {};
  const { callerIp, callerSuppliedUserAgent } = fieldsOf(payload.requestMetadata);
  const isDryRun = fieldsOf(entry.labels)['command.gke.io/dryRun'] !== undefined;
  return [
    {
      level: payload.request === undefined ? 'Metadata' : 'Request',
      auditID: textOrEmpty(id) || entry.insertId,
      // What takes long has an entry for its beginning, and another for its end.
      stage: first === true && last !== true ? 'ResponseStarted' : 'ResponseComplete',
      verb: method.slice(method.lastIndexOf('.') + 1),
      ...googleUsers(fieldsOf(payload.authenticationInfo)),
      userAgent: callerSuppliedUserAgent,
      sourceIPs: [callerIp],
      objectRef: googleReference(method, textOrEmpty(payload.resourceName)),
      responseStatus: {
        code: numberOf(status.code) ?? httpCodes[code] ?? code,
        details: status.details,
      },
      requestURI: isDryRun ? '/?dryRun=All' : '',
      requestObject: payload.request,
      responseObject: payload.response,
      requestReceivedTimestamp: entry.timestamp,
      stageTimestamp: entry.timestamp,
    },
  ];
}

/** With delegation, the first of the list is who began it, and the principal is whom it acted as. */
function googleUsers(info: Json): Json {
  const { principalEmail, principalSubject, authoritySelector } = info;
  const principal = textOrEmpty(principalEmail) || textOrEmpty(principalSubject);
  const [delegation] = fieldsListOf(info.serviceAccountDelegationInfo);
  const delegating =
    textAt(delegation, 'firstPartyPrincipal.principalEmail') ||
    textOrEmpty(delegation?.principalSubject);
  const impersonated = textOrEmpty(authoritySelector) || (delegating && principal);
  return {
    user: { username: delegating || principal },
    ...(impersonated && { impersonatedUser: { username: impersonated } }),
  };
}

/** `io.k8s.core.v1.pods.eviction.create` of `core/v1/namespaces/shop/pods/web-1/eviction`. */
function googleReference(method: string, path: string): Json {
  const [group = '', version = '', ...rest] = path.split('/');
  const words = method.split('.').slice(0, -1);
  // The method writes the group backwards (authorization.rbac); the path has it as it is.
  const [resource = '', ...subresource] = words.slice(words.lastIndexOf(version) + 1);
  const isNamespaced = rest[0] === 'namespaces' && resource !== 'namespaces';
  return {
    apiGroup: group === 'core' ? '' : group,
    resource,
    subresource: subresource.join('/'),
    namespace: isNamespaced ? rest[1] : '',
    name: isNamespaced ? rest[3] : rest[1],
  };
}

/** Cloud Audit Logs name the type of a body in `@type`, as `core.k8s.io/v1.Status`. */
export function isStatus(body: unknown): boolean {
  return (
    fieldAt(body, 'kind') === 'Status' || /\.Status$/.test(textOrEmpty(jsonOf(body)?.['@type']))
  );
}
