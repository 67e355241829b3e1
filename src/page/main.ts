import type { PageData } from '../output/pages/page-data.ts';
import { App } from './app.ts';
import { listen } from './listen.ts';

const text = document.querySelector('#data')?.textContent ?? '';
const [into, rows] = ['#app', '#rows'].map((id) => document.querySelector<HTMLElement>(id));
if (into && rows) {
  const data = JSON.parse(text) as PageData;
  const app = new App(data, into, rows);
  listen(data, app);
}
