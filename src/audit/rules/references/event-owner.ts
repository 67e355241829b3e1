import { isEventType, parseApiVersion } from '../../../kube/resource-type.ts';
import { forEachReference, type Rule, removal } from '../reference-rule.ts';

export const eventOwner: Rule = {
  id: 'event-owner',
  title: 'The owner is an Event',
  advice: 'Remove the reference. Events expire by themselves.',
  check: (subject) =>
    forEachReference(subject, ({ reference }, index) => {
      if (reference.kind.toLowerCase() !== 'event') return undefined;
      const group = parseApiVersion(reference.apiVersion)?.group;
      if (group === undefined || !isEventType({ group, resource: 'events' })) return undefined;
      return {
        message:
          'the garbage collector does not watch Events: it polls for this one at growing intervals and notices its end late; the API server refuses a core/v1 Event as owner',
        fix: removal(index, 'remove the reference; Events expire by themselves'),
      };
    }),
};
