// Imported, it lets a program take today for a day almost three years later: what changes with the day then shows at once.
const aheadMs = 1000 * 86_400_000 + 5 * 3_600_000;
const { now } = Date;

Date.now = () => now() + aheadMs;
globalThis.Date = new Proxy(Date, {
  construct: (real, parts, target) =>
    Reflect.construct(real, parts.length > 0 ? parts : [real.now()], target),
});

export {};
