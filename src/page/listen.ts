import type { PageData } from '../output/pages/page-data.ts';

/** A page that is served gets all that it shows again whenever that changed. */
export function listen({ live }: PageData, app: { replace(data: PageData): void }): void {
  if (!live) return;
  const { href, origin } = new URL(live.events, location.href);
  if (origin !== location.origin) return;
  const notice = document.querySelector('#notice');
  const source = new EventSource(href);
  source.addEventListener('message', ({ data }) => app.replace(JSON.parse(data) as PageData));
  source.addEventListener('error', () => {
    if (!notice) return;
    const isOver = source.readyState === EventSource.CLOSED;
    notice.textContent = isOver
      ? 'The server has ended: this is what it sent last.'
      : 'The connection was lost: trying again.';
  });
}
