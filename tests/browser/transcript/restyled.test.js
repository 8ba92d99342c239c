// A message that comes or goes costs no new styles of the others: also beside what is due, with a comparison, in a low window.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ended, send } from '../../lib/chat.js';
import { bring, chatgpt } from '../../lib/transfer.js';
import { DESKTOP, answers, asksForAnswer, phone, ready, stage, traced, until } from '../lib/stage.js';

const MESSAGES = 350, LOW = { width: 900, height: 300 };
const { alfred, provider, open } = await stage({ two: true });
const anna = await alfred.admin('anna');
const { choices } = await anna.getJson('/api/me');
const [choice, compare_with] = ['openai', 'anthropic'].map((provider) => choices.find((c) => c.provider === provider).value);

async function long(title) {
    await bring(anna, JSON.stringify([chatgpt(title, Array.from({ length: MESSAGES }, (_, i) => `Message ${i}.`), { title, create_time: 1.7e9 })]));
    return until('it is imported', async () => (await anna.getJson('/api/sessions')).sessions.find((s) => s.title === title));
}
const session = await long('A long one'), compared = await long('A compared one');
provider.next(answers('Apples.'), (c) => asksForAnswer(c) && c.protocol === 'openai');
provider.next(answers('Pears.'), (c) => asksForAnswer(c) && c.protocol === 'anthropic');
const asked = await send(anna, 'Fruit?', { session: compared.id, choice, compare_with });
await Promise.all([asked.turn, asked.second.turn].map((id) => ended(anna, id)));

/** Adds a reminder that is due at once. */
async function ring() {
    const add = (text) => anna.post('/reminders', { text, start: new Date(Date.now() + 86_400_000).toISOString().slice(0, 16), repeat: 'never', kind: 'remind' });
    await add('Call the bank');
    alfred.sql('UPDATE reminder SET next_at = ?', Date.now());
    await add('Later'); // wakes the helper
}

const here = (page, name) => until(`${name}.css is here`, () => page.evaluate((name) => [...document.styleSheets].some((s) => s.href?.includes(`/${name}.css`)), name));

/** Scrolls up until some parts of the conversation have come and others have gone. */
async function stays(page, sheets) {
    await page.locator('#session-menu > summary').click();
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.move(5, 5); // no message is under the pointer
    for (const name of ['over', 'message', ...sheets]) await here(page, name);
    const first = () => page.locator('#transcript article').first().evaluate((el) => Number(/Message (\d+)\./.exec(el.textContent)?.[1]));
    const trace = await traced(page, () => until('parts have come and gone', async () => {
        await page.evaluate(() => scrollTo(0, 0));
        return (await first()) < MESSAGES - 150 && (await page.locator('#newer').count()) > 0;
    }));
    const list = await page.locator('#transcript > li').count();
    const styled = trace.filter((e) => e.name === 'StyleRecalcInvalidationTracking' && e.args.data.reason === 'Related style rule').length;
    assert.ok(trace.some((e) => e.name === 'UpdateLayoutTree'), 'the trace has the work on styles');
    assert.ok(styled < list, `${styled} elements were styled again, for ${list} messages in the page`);
}

for (const [where, options, sheets] of [['in a wide window', { viewport: DESKTOP }, []], ['on a phone', phone, []], ['in a low window', { viewport: LOW }, ['low']]])
    test(`messages that come or go do not style the others again ${where}`, async (t) => {
        await stays(await open(t, { as: anna, path: session.url, ...options }), sheets);
    });

test('nor with a comparison', async (t) => {
    await stays(await open(t, { as: anna, path: compared.url }), ['compare']);
});

for (const [where, options] of [['in a wide window', { viewport: DESKTOP }], ['on a phone', phone]])
    test(`nor beside what is due ${where}`, async (t) => {
        await ring();
        const page = await open(t, { as: anna, path: session.url, ...options });
        await page.locator('#due .due').first().waitFor();
        await ready(page);
        await stays(page, ['due']);
    });
