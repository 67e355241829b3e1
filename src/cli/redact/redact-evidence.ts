import { decodeSettings, encodeSettings } from '../../controllers/settings/saved-settings.ts';
import { type Json, jsonOf, textOf } from '../../kube/json-value.ts';
import type { Evidence } from '../../snapshot/evidence.ts';
import { keyOf } from '../../why/inquiry.ts';
import { savedQueries } from '../../why/saved-answers.ts';

type Text = (text: string) => string;

/**
 * What was read besides objects. What kubelets said of images and containers is left out: paths and digests in
 * it cannot be replaced so that they still lead to each other.
 */
export function redactEvidence(evidence: Evidence, text: Text): Evidence {
  const { settings, nodes: _, fieldManagers, answers, ...others } = evidence;
  // The compiler refuses a section that is not named above.
  const none: Record<string, never> = others;
  return {
    ...none,
    ...(settings && { settings: redactSettings(settings, text) }),
    ...(fieldManagers && { fieldManagers: everyText(fieldManagers, text) as typeof fieldManagers }),
    ...(answers && { answers: answers.flatMap((answer) => redactAnswer(answer, text)) }),
  };
}

/** Settings whose words are names of controllers and feature gates. */
const fixedWords: ReadonlySet<string> = new Set(['controllers', 'feature-gates', 'featureGates']);

/** Encoding keeps only what settings are about; of their fields, the names are Kubernetes' own. */
function redactSettings(settings: Json, text: Text): Json {
  const redact = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return fixedWords.has(name) ? value : text(value);
    if (Array.isArray(value)) return value.map((entry) => redact(entry, name));
    const json = jsonOf(value);
    if (!json) return value;
    return Object.fromEntries(
      Object.entries(json).map(([key, entry]) => [key, redact(entry, key === 'text' ? name : key)]),
    );
  };
  const { components, ...known } = encodeSettings(decodeSettings(settings));
  return { ...(redact(known, '') as Json), components };
}

const savedKeys: ReadonlySet<string> = new Set(savedQueries.map(keyOf));

/** Questions that every snapshot holds an answer to name nothing of the cluster; others are left out. */
function redactAnswer(answer: Json, text: Text): Json[] {
  const key = textOf(answer.key) ?? '';
  if (!savedKeys.has(key)) return [];
  const { key: _, ...rest } = answer;
  return [{ ...(everyText(rest, text) as Json), key }];
}

/** Fields' names are replaced, too: those of Kubernetes are made of words that stay. */
function everyText(value: unknown, text: Text): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((entry) => everyText(entry, text));
  const json = jsonOf(value);
  if (!json) return value;
  const entries = Object.entries(json).map(([key, one]) => [text(key), everyText(one, text)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (`${a}` < `${b}` ? -1 : 1)));
}
