import { apiVersionOf, parseApiVersion } from '../kube/resource-type.ts';
import { forEachReference } from './for-each-reference.ts';
import { type Rule, removal } from './rule.ts';

export const unservedOwnerVersion: Rule = {
  id: 'unserved-owner-version',
  title: "The owner's kind is served, but not in that version",
  check: (subject) =>
    forEachReference(subject, ({ outcome, reference, because }, index) => {
      if (outcome !== 'unserved-version') return undefined;
      const { types } = subject.graph.snapshot;
      const mapping = types.mapKind(reference.apiVersion, reference.kind);
      const served = mapping.kind === 'unserved' ? mapping.otherVersions[0] : undefined;
      if (!served || !parseApiVersion(reference.apiVersion)) {
        return { because, repair: removal(index, 'remove the reference') };
      }
      const apiVersion = apiVersionOf(served);
      return {
        because,
        repair: {
          summary: `name the owner's version as ${apiVersion}`,
          edits: [{ index, to: { ...reference, apiVersion, kind: served.kind } }],
        },
      };
    }),
};
