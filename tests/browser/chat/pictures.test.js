// Pictures in messages: attached, pasted and dropped, made smaller, kept with the draft, shown above their text.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { noise, png } from '../../lib/picture.js';
import { PASSWORD } from '../../lib/rig.js';
import { Chat } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { answers, asksForAnswer, phone, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, asked } = await stage({ two: true });
const anna = await alfred.admin('anna');
provider.always(answers('A red square.'), (call) => asksForAnswer(call) && !/hold/.test(call.userText));

const RED = { name: 'red.png', mimeType: 'image/png', buffer: png(400, 300, [200, 30, 30]) };
const BLUE = { name: 'blue.png', mimeType: 'image/png', buffer: png(300, 400, [30, 30, 200]) };

/** Chooses files with the button beside the box. */
async function attach(page, ...files) {
    const chooser = page.waitForEvent('filechooser');
    await page.locator('#attach').click();
    await (await chooser).setFiles(files);
}
const shots = (page) => page.locator('.shots img');
const seen = (img) => img.evaluate((el) => el.decode().then(() => [el.naturalWidth, el.naturalHeight]));
/** The pictures of a request, as [media type, bytes]. */
const sentWith = (call) => call.body.messages.filter((m) => m.role === 'user').flatMap((m) => (Array.isArray(m.content) ? m.content : []))
    .filter((p) => p.type === 'image_url').map((p) => /^data:([^;]+);base64,(.*)$/.exec(p.image_url.url).slice(1)).map(([type, data]) => [type, Buffer.from(data, 'base64')]);

const sent = (text) => sentWith(provider.calls.filter((c) => asksForAnswer(c) && c.asks(text)).at(-1));

for (const [size, more] of [['desktop', {}], ['phone', phone]]) {
    test(`a chosen picture is sent with its text and shown above it, ${size}`, async (t) => {
        const page = await open(t, { as: anna, ...more });
        const chat = new Chat(page);
        await attach(page, RED);
        await shots(page).waitFor();
        assert.deepEqual(await seen(shots(page)), [400, 300]);
        await chat.send('What is this?');
        await chat.reads('A red square.');
        assert.deepEqual(sent('What is this?').map(([type]) => type), ['image/png']);
        assert.equal(await shots(page).count(), 0, 'the box is empty again');
        const picture = chat.question.locator('.pictures img');
        assert.deepEqual(await seen(picture), [400, 300]);
        await page.reload();
        await ready(page);
        assert.deepEqual(await seen(picture), [400, 300]);
        const [box, bubble] = [await picture.boundingBox(), await chat.question.locator('.bubble').boundingBox()];
        assert.ok(box.y + box.height <= bubble.y, 'above its text');
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    });
}

for (const [size, more] of [['desktop', {}], ['phone', phone]]) {
    test(`a picture is in view when its question is sent, ${size}`, async (t) => {
        const page = await open(t, { as: anna, ...more }), chat = new Chat(page);
        await chat.exchange(provider, answers('Well. '.repeat(200)), `Before the picture (${size})`);
        await attach(page, BLUE);
        await shots(page).waitFor();
        const text = `Please hold this picture, which I made on the way to work (${size})`;
        await chat.send(text);
        const call = await provider.call((c) => asksForAnswer(c) && c.asks(text));
        await call.start();
        await call.text('It begins');
        await chat.reads('It begins');
        const bar = await page.locator('.bar').boundingBox(), top = () => chat.question.locator('.pictures img').boundingBox();
        await until('the whole picture is in view', async () => (await top()).y >= bar.y + bar.height);
        await call.end();
        await chat.settled();
    });
}

for (const [size, more] of [['desktop', {}], ['phone', phone]])
    test(`a wide and a tall picture have no empty space around them, keep their shape and can be tapped, ${size}`, async (t) => {
        const page = await open(t, { as: anna, ...more }), chat = new Chat(page), SHAPES = [[900, 300], [100, 1000]];
        await attach(page, ...SHAPES.map(([w, h]) => ({ name: `${w}.png`, mimeType: 'image/png', buffer: png(w, h) })));
        await shots(page).nth(1).waitFor();
        await chat.send(`Shapes, ${size}`);
        await chat.reads('A red square.');
        for (const [i, [w, h]] of SHAPES.entries()) {
            const picture = chat.question.locator('.pictures img').nth(i);
            await seen(picture);
            const [box, link] = await picture.evaluate((el) => [el, el.closest('a')].map((e) => ({ width: e.offsetWidth, height: e.offsetHeight })));
            assert.ok(Math.abs(box.width - (box.height * w) / h) <= 1, JSON.stringify(box));
            assert.equal(link.height, box.height);
            assert.ok(link.width >= 44, 'wide enough for a finger');
        }
    });

test('pictures are pasted and dropped, and one of them is removed', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    /** False: the page has taken it. */
    const give = (kind, { name, buffer }) => page.evaluate(([k, n, data]) => {
        const transfer = new DataTransfer(), init = { bubbles: true, cancelable: true };
        transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], n, { type: 'image/png' }));
        return document.querySelector('#text').dispatchEvent(k === 'paste' ? new ClipboardEvent('paste', { ...init, clipboardData: transfer }) : new DragEvent('drop', { ...init, dataTransfer: transfer }));
    }, [kind, name, buffer.toString('base64')]);
    await until('files are taken', async () => !(await give('paste', RED)));
    assert.equal(await give('drop', BLUE), false);
    await shots(page).nth(1).waitFor();
    await page.getByRole('button', { name: 'Remove picture 1' }).click();
    await shots(page).nth(1).waitFor({ state: 'detached' });
    assert.deepEqual(await seen(shots(page)), [300, 400]);
    await chat.send('Only the blue one');
    await chat.reads('A red square.');
    assert.equal(sent('Only the blue one').length, 1);
});

test('two quick choices of files add no more pictures than a message may have', async (t) => {
    const page = await open(t, { as: anna });
    let held = [];
    await page.route('**/api/pictures', (route) => (held ? held.push(route) : route.continue()));
    await attach(page, ...Array.from({ length: 5 }, (_, i) => ({ ...RED, name: `first-${i}.png` })));
    await until('the first one waits for the server', () => held.length === 1);
    await attach(page, ...Array.from({ length: 5 }, (_, i) => ({ ...BLUE, name: `second-${i}.png` })));
    await page.locator('.toasts').getByText('8').waitFor();
    assert.equal(await page.locator('.shots [data-waits]').count(), 8, 'each has its place');
    const waiting = held;
    held = null;
    await Promise.all(waiting.map((route) => route.continue()));
    await shots(page).nth(7).waitFor();
    await until('all are there', async () => (await page.locator('.shots [data-waits]').count()) === 0);
    assert.equal(await shots(page).count(), 8);
});

test('a large photo is made smaller before it is sent', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await attach(page, { ...RED, buffer: noise(2400, 1800) });
    await shots(page).waitFor();
    assert.deepEqual(await seen(shots(page)), [2000, 1500]);
    await chat.send('What is on the photo?');
    await chat.reads('A red square.');
    const [[type, data]] = sent('What is on the photo?');
    assert.equal(type, 'image/jpeg');
    assert.ok(data.length < 5 * 1024 * 1024, `${data.length} bytes`);
});

test('a draft keeps its pictures across a reload, and a picture alone is sent', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await attach(page, RED, BLUE);
    await shots(page).nth(1).waitFor();
    await page.reload();
    await ready(page);
    await shots(page).nth(1).waitFor();
    await chat.box.press('Enter');
    await chat.reads('A red square.');
    assert.equal(await chat.question.locator('.pictures img').count(), 2);
    assert.equal(await chat.question.locator('.bubble').count(), 0);
    await page.reload();
    await ready(page);
    assert.equal(await shots(page).count(), 0);
});

test('a message with a picture waits for the running answer', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('hold on');
    const call = await asked('hold on');
    await attach(page, RED);
    await shots(page).waitFor();
    await chat.send('And this?');
    await chat.waiting.locator('img').waitFor();
    assert.equal(await shots(page).count(), 0);
    await page.reload();
    await ready(page);
    await chat.waiting.locator('img').waitFor();
    await call.text('Done.');
    await call.end();
    await chat.reads('A red square.');
    assert.equal(sent('And this?').length, 1);
});

test('a draft keeps its pictures while the server cannot be reached, and loses those that it has removed', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of (502|404)/] });
    await attach(page, RED, BLUE);
    await shots(page).nth(1).waitFor();
    let asked = 0;
    await page.route('**/pictures/pic_*', (route) => (asked++, route.fulfill({ status: 502, body: 'restarting' })));
    await page.reload();
    await ready(page);
    await shots(page).nth(1).waitFor();
    await page.waitForFunction(() => [...document.querySelectorAll('.shots img')].every((img) => img.complete));
    await until('both were asked for, and once more whether they are there', () => asked >= 4);
    assert.equal(await shots(page).count(), 2);
    await page.unroute('**/pictures/pic_*');
    const [red] = await shots(page).evaluateAll((all) => all.map((img) => img.getAttribute('src').split('/').at(-1)));
    alfred.sql('DELETE FROM picture WHERE pub = ?', red);
    await page.reload();
    await ready(page);
    await shots(page).nth(1).waitFor({ state: 'detached' });
    assert.deepEqual(await seen(shots(page)), [300, 400]);
});

/** Answers uploads with an error until the route is removed. */
const refuseUploads = (page, before = Promise.resolve()) => page.route('**/api/pictures', async (route) => {
    await before;
    await route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error: { message: 'Full.' } }) });
});

test('a message whose picture could not be uploaded is not sent without it, and Send uploads it again', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 503/] });
    const chat = new Chat(page);
    let fail;
    const fails = new Promise((resolve) => { fail = resolve; }), held = page.waitForRequest('**/api/pictures');
    await refuseUploads(page, fails);
    await attach(page, RED);
    await held;
    await chat.send('What is on it?');
    fail();
    await page.getByText('Full.').waitFor();
    await page.getByRole('button', { name: 'Upload again: red.png' }).waitFor();
    assert.equal(await chat.box.inputValue(), 'What is on it?');
    await page.unroute('**/api/pictures');
    await chat.box.press('Enter');
    await chat.reads('A red square.');
    assert.equal(provider.calls.filter((c) => asksForAnswer(c) && c.asks('What is on it?')).length, 1);
    assert.equal(sent('What is on it?').length, 1);
    await page.reload();
    await ready(page);
    assert.equal(await page.locator('.shots li').count(), 0);
});

test('a refused picture is uploaded again by its button, or removed, and the others are not', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 503/] });
    await attach(page, BLUE);
    await shots(page).waitFor();
    await refuseUploads(page);
    await attach(page, RED, { ...RED, name: 'second.png' });
    const again = page.getByRole('button', { name: /^Upload again/ });
    await again.nth(1).waitFor();
    assert.deepEqual(await axe(page), []);
    await page.getByRole('button', { name: 'Remove second.png' }).click();
    await page.unroute('**/api/pictures');
    await page.getByRole('button', { name: 'Upload again: red.png' }).click();
    await shots(page).nth(1).waitFor();
    assert.equal(await again.count(), 0);
    assert.deepEqual(await Promise.all([0, 1].map((i) => seen(shots(page).nth(i)))), [[300, 400], [400, 300]]);
});

test('pictures that are added after the sign-in has ended are in the box after the next one', async (t) => {
    const ben = await alfred.user('ben');
    const page = await open(t, { as: ben, allow: [/status of 401/] });
    const chat = new Chat(page);
    await chat.write('What are these?');
    await page.context().clearCookies();
    await attach(page, RED, BLUE);
    await page.getByRole('button', { name: 'Upload again: blue.png' }).waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Name').fill('ben');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await ready(page);
    await shots(page).nth(1).waitFor();
    assert.deepEqual(await Promise.all([0, 1].map((i) => seen(shots(page).nth(i)))), [[400, 300], [300, 400]]);
    await chat.box.press('Enter');
    await chat.reads('A red square.');
    assert.equal(sent('What are these?').length, 2);
});

test('a sign-out removes pictures that were not sent from the browser', async (t) => {
    const page = await open(t, { as: await alfred.user('carl'), allow: [/status of 503/] });
    await attach(page, BLUE);
    await shots(page).waitFor();
    await refuseUploads(page);
    await attach(page, RED);
    await page.getByRole('button', { name: 'Upload again: red.png' }).waitFor();
    const kept = () => page.evaluate(async () => [...Object.keys(localStorage), ...(await caches.keys())].filter((name) => name.startsWith('alfred.pictures')));
    await until('the browser has both', async () => (await kept()).length === 2);
    await page.locator('#account-menu > summary').click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(/signin/);
    await until('it has none', async () => (await kept()).length === 0);
});

test('what is no picture is named, and nothing is lost when the server refuses', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 400/] });
    const chat = new Chat(page);
    await attach(page, { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
    await page.getByText(/This file cannot be read as a picture: .*broken\.png/).waitFor();
    await attach(page, { name: 'IMG_1.HEIC', mimeType: '', buffer: Buffer.from('\0\0\0\x18ftypheic') });
    await page.getByText(/cannot be read as a picture: .*IMG_1\.HEIC.*PNG, JPEG, GIF and WebP can/).waitFor();
    await page.locator('select[name=choice]').selectOption('offline/offline');
    await attach(page, RED);
    await shots(page).waitFor();
    await page.getByText('does not support pictures. Choose a model that does.').waitFor();
    await chat.send('What is this?');
    await page.locator('#send-problem').getByText('The built-in model does not support pictures').waitFor();
    assert.equal(await chat.box.inputValue(), 'What is this?');
    await shots(page).waitFor();
    await page.locator('select[name=choice]').selectOption({ index: 0 });
    await chat.box.press('Enter');
    await chat.reads('A red square.');
});

test('a picture has its place before its bytes come', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await attach(page, RED);
    await shots(page).waitFor();
    await chat.send('Where is it?');
    await chat.reads('A red square.');
    const held = [];
    await page.route('**/pictures/**', (route) => held.push(route));
    await page.reload();
    await until('the picture is requested', () => held.length);
    const box = async () => (({ width, height }) => [width, height])(await chat.question.locator('.pictures img').boundingBox());
    assert.deepEqual(await box(), [320, 240]);
    for (const route of held) await route.continue();
    await seen(chat.question.locator('.pictures img'));
    assert.deepEqual(await box(), [320, 240]);
});

test('a message that has only pictures is asked again without text, from its editor', async (t) => {
    for (const javaScriptEnabled of [true, false]) {
        const page = await open(t, { as: anna });
        const chat = new Chat(page);
        await attach(page, RED);
        await shots(page).waitFor();
        await chat.box.press('Enter');
        await chat.reads('A red square.');
        await chat.settled();
        const asked = provider.calls.filter(asksForAnswer).length, plain = javaScriptEnabled ? page : await open(t, { as: anna, path: new URL(page.url()).pathname, javaScriptEnabled });
        const own = plain.locator('article.user');
        await own.locator('.edit > summary').click();
        await own.getByRole('button', { name: 'Save and rerun' }).click();
        await until('it is asked again', () => provider.calls.filter(asksForAnswer).length === asked + 1);
        assert.equal(sentWith(provider.calls.filter(asksForAnswer).at(-1)).length, 1);
        await plain.locator('.branches .count', { hasText: '2' }).waitFor();
    }
});
