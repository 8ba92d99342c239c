// Sharing and exporting a conversation in a browser: the menu by keyboard, the forms without a script, and the page
// that strangers read, at two widths, light and dark, in both languages, and on paper.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, ended, exchange, send } from '../../lib/chat.js';
import { png, upload } from '../../lib/picture.js';
import { until } from '../../lib/rig.js';
import { axe } from '../lib/look.js';
import { DESKTOP, leads, phone, stage } from '../lib/stage.js';

const { alfred, provider, open, blank } = await stage();
const anna = await alfred.admin('anna');
await anna.get('/');
const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
/** With SHOTS set to a folder, pictures for people are put there. */
const SHOTS = process.env.SHOTS;
if (SHOTS) mkdirSync(SHOTS, { recursive: true });
const shot = (page, name) => SHOTS && page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });

const ANSWER = `Here is **what** I found, for $E = mc^2$:

$$\\int_0^1 x^2 dx = \\frac{1}{3}$$

1. One \`piece\` of code
2. A [link](https://example.org/)

\`\`\`js
const a_very_long_line_of_code_that_does_not_fit_on_a_telephone = "and goes on and on and on", more = 1;
\`\`\`

| place | height | note |
|---|---:|---|
| Zas | 1,004 m | the highest mountain of the Cyclades, with a cave |

> Quoted

- [x] done
- [ ] to do`;
const { session } = await exchange(anna, provider, 'What about <physics> & islands?\n\nSecond paragraph.', ANSWER);
await exchange(anna, provider, 'שלום, מה שלומך?', 'טוב, תודה.', { session });
await anna.request('PATCH', `/api/sessions/${session}`, { json: { title: 'Physics and islands' } });

const share = async (want = {}) => new URL((await anna.postJson(`/api/sessions/${session}/shares`, want)).json.share.url).pathname;

test('by keyboard: the menu leads to Share, a link is made, copied, updated and ended', async (t) => {
    const page = await open(t, { as: anna, path: `/s/${session}` });
    await page.getByLabel(/Options/).first().waitFor();
    await page.locator('#session-menu summary').focus();
    await page.keyboard.press('Enter');
    const item = page.getByRole('menuitem', { name: 'Share' });
    await item.waitFor();
    await item.focus();
    await leads(page, `**/sessions/${session}/share`, () => page.keyboard.press('Enter'));
    assert.deepEqual(await axe(page), []);
    await shot(page, 'share-form');
    await page.getByLabel('Your name on the page').fill('Aunt Anna');
    await leads(page, '**/share?done=shared', () => page.keyboard.press('Enter'));
    const link = page.getByLabel('Link', { exact: true }).first();
    assert.match(await link.inputValue(), /\/share\/[\w-]{22}$/);
    assert.deepEqual(await axe(page), []);
    await shot(page, 'share-made');
    const stranger = await blank(t);
    await stranger.goto(new URL(await link.inputValue()).pathname);
    assert.match(await stranger.locator('.meta').innerText(), /Shared by Aunt Anna/);
    await page.getByRole('button', { name: /^Update/ }).first().focus();
    await leads(page, '**/share?done=share_renewed', () => page.keyboard.press('Enter'));
    await page.getByRole('button', { name: /^End link/ }).first().focus();
    await leads(page, '**/share?done=share_ended', () => page.keyboard.press('Enter'));
});

for (const size of [{ viewport: DESKTOP }, phone])
    for (const colorScheme of ['light', 'dark'])
        test(`the shared page is readable at ${size.viewport.width} px, ${colorScheme}, without a script`, async (t) => {
            const page = await open(t, { path: await share({ name: 'Aunt Anna' }), javaScriptEnabled: false, colorScheme, ...size });
            await page.getByRole('heading', { level: 1, name: 'Physics and islands' }).waitFor();
            assert.equal(await page.locator('.said > li').count(), 4);
            const ground = await page.locator('html').evaluate((el) => getComputedStyle(el).backgroundColor);
            assert.equal(ground, colorScheme === 'dark' ? 'rgb(20, 19, 17)' : 'rgb(250, 248, 244)');
            await shot(page, `shared-${size.viewport.width}-${colorScheme}`);
        });

test('the shared pages have no finding of axe, fit a phone, and speak German', async (t) => {
    const page = await open(t, { ...phone, locale: 'de-DE', javaScriptEnabled: false, path: await share() }).catch((e) => { throw e; });
    assert.match(await page.locator('.foot').innerText(), /Kopie einer Unterhaltung/);
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    assert.equal(await page.locator('.text ul').first().evaluate((el) => getComputedStyle(el).listStyleType), 'disc', 'as in the conversation, although it is in a list');
    for (const path of [await share(), await share({ password: 'open sesame now' })]) {
        const other = await blank(t, phone);
        await other.goto(path);
        assert.deepEqual(await axe(other), []);
        assert.ok(await fits(other));
        await shot(other, `shared-${path.length}-phone`);
    }
});

test('a password opens the page in that browser', async (t) => {
    const page = await open(t, { path: await share({ password: 'open sesame now' }), javaScriptEnabled: false, allow: [/401/] });
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill('open sesame now');
    await page.keyboard.press('Enter');
    await page.getByText('Second paragraph.').waitFor();
    await page.reload();
    await page.getByText('Second paragraph.').waitFor();
});

/** The page file of a conversation as a user opens it from a disk: without the headers of the service. */
async function pageFile(page, id) {
    await page.goto('about:blank');
    await page.setContent((await anna.get(`/sessions/${id}/file?format=html`)).text);
    return page;
}

for (const size of [{ viewport: DESKTOP }, phone])
    test(`without a script: a conversation is exported, and the page file prints, at ${size.viewport.width} px`, async (t) => {
        const page = await open(t, { as: anna, path: `/sessions/${session}/export`, javaScriptEnabled: false, ...size });
        assert.ok((await page.getByRole('radio').count()) === 4);
        await shot(page, `export-${size.viewport.width}`);
        await page.getByRole('radio', { name: /Web page/ }).check();
        const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
        assert.equal(download.suggestedFilename(), 'Physics and islands.html');
        const file = await pageFile(await blank(t, size), session);
        assert.deepEqual(await axe(file), []);
        assert.ok(await fits(file));
        await shot(file, `file-${size.viewport.width}`);
        if (size.viewport.width !== DESKTOP.width) return;
        const pdf = await file.pdf();
        assert.ok(pdf.length > 5000);
        if (SHOTS) writeFileSync(`${SHOTS}/file.pdf`, pdf);
    });

test('without a script: the whole conversation opens in a tab for printing', async (t) => {
    const page = await open(t, { as: anna, path: `/sessions/${session}/export`, javaScriptEnabled: false });
    const [paper] = await Promise.all([page.context().waitForEvent('page'), page.getByRole('button', { name: 'Open to print' }).click()]);
    await paper.getByRole('heading', { name: 'Physics and islands' }).waitFor();
    assert.match(await paper.locator('.said').innerText(), /Second paragraph\.[^]*Cyclades[^]*תודה/);
    assert.equal(await paper.locator('.user .text').first().evaluate((el) => getComputedStyle(el).borderRadius), '16px', 'the policy allows its style');
    await shot(paper, 'print');
});

test('pictures are shown in their shape, in the shared page and in the page file', async (t) => {
    const pictures = [];
    for (const bytes of [png(1200, 300), png(60, 30), png(100, 200)]) pictures.push((await upload(anna, bytes)).id);
    provider.next(answers('Three rectangles.'), (call) => asksForAnswer(call) && call.prompt.includes('image_url'));
    const drawn = await send(anna, 'What are these?', { pictures });
    assert.equal((await ended(anna, drawn.turn)).status, 'done');
    const made = await anna.postJson(`/api/sessions/${drawn.session}/shares`, {});
    const [shown, file] = [await blank(t, phone), await blank(t, phone)];
    await shown.goto(new URL(made.json.share.url).pathname);
    await pageFile(file, drawn.session);
    for (const page of [shown, file]) {
        const images = page.getByRole('img', { name: 'Picture' });
        await until('the pictures are there', () => images.evaluateAll((all) => all.length === 3 && all.every((img) => img.complete && img.naturalWidth > 0)));
        const shapes = await images.evaluateAll((all) => all.map((img) => [img.naturalWidth, (img.clientWidth / img.clientHeight).toFixed(1)]));
        assert.deepEqual(shapes, [[1200, '4.0'], [60, '2.0'], [100, '0.5']]);
        assert.ok(await fits(page));
        assert.deepEqual(await axe(page), []);
    }
});
