// Lets a program take today for a day almost three years later: what changes with the day then shows at once.
const aheadMs = 1000 * 86_400_000 + 5 * 3_600_000;
const RealDate = Date;

class OtherDay extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + aheadMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
}

globalThis.Date = OtherDay;
