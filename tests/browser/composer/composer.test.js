// The box: sending, drafts and growth.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compound, docx } from '../../lib/documents.js';
import { pdf } from '../../lib/pdf.js';
import { Chat } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { answers, asksForAnswer, phone, ready, stage, until } from '../lib/stage.js';

/** The limit of a message, a tenth of the default: a text of 1 MB costs the browser ten seconds, above all in the box. */
const MESSAGE_BYTES = 100 * 1024;
const { alfred, provider, open, blank, asked, context } = await stage({ config: { limits: { message_bytes: MESSAGE_BYTES } } });
const anna = await alfred.admin('anna');
provider.always(answers('Noted.'), (call) => /^Note|^a\.txt|^Waits with/.test(call.userText));

/** The number of messages in the session, from the server. */
async function stored(page) {
    const id = page.url().match(/\/s\/([^/?#]+)/)?.[1];
    return id ? (await anna.getJson(`/api/sessions/${id}`)).messages.length : 0;
}

test('Enter sends, Shift+Enter breaks the line, and the breaks are kept', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    assert.ok(await chat.box.evaluate((el) => el === document.activeElement), 'the box has the focus');
    await page.keyboard.type('Note: first');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('second');
    assert.equal(await chat.box.inputValue(), 'Note: first\nsecond');
    assert.equal(page.url(), `${alfred.baseUrl}/`);
    await page.keyboard.press('Enter');
    await chat.reads('Noted.');
    assert.equal(await chat.question.locator('.bubble').innerText(), 'Note: first\nsecond');
    assert.equal(await chat.box.inputValue(), '');
    assert.match(page.url(), /\/s\/ses_/, 'the session has its address');
    await chat.settled();
    assert.equal(await stored(page), 2);
    await page.reload();
    assert.equal(await chat.question.locator('.bubble').innerText(), 'Note: first\nsecond');
});

test('the box has the focus before the scripts come, so that no key is lost', async (t) => {
    const page = await blank(t, { as: anna });
    const held = [];
    await page.route('**/js/composer/composer.js*', (route) => held.push(route));
    await page.goto('/', { waitUntil: 'commit' });
    await until('the script is requested', () => held.length);
    await page.locator('body > .toasts').waitFor({ state: 'attached' }); // the box and what is below it are there
    await page.keyboard.type('Note: at once');
    await held[0].continue();
    await ready(page);
    await page.keyboard.type(', and later');
    await page.keyboard.press('Enter');
    await new Chat(page).reads('Noted.');
    assert.equal(await new Chat(page).question.locator('.bubble').innerText(), 'Note: at once, and later');
});

test('Enter sends a message before the scripts come, too, and in the setting for Ctrl+Enter it breaks the line', async (t) => {
    const carl = await alfred.user('carl-early');
    for (const sends of [true, false]) {
        const page = await blank(t, { as: carl }), chat = new Chat(page), held = [];
        if (!sends) await carl.request('PATCH', '/api/settings', { json: { send_key: 'mod_enter' } });
        await page.route('**/js/composer/composer.js*', (route) => void held.push(route), { times: 1 });
        await page.goto('/', { waitUntil: 'commit' });
        await page.locator('body > .toasts').waitFor({ state: 'attached' });
        await page.keyboard.press('Enter'); // nothing to send
        await page.keyboard.type('Note: at once');
        await page.keyboard.press('Enter');
        if (sends) await page.waitForURL(/\/s\/ses_/);
        if (sends) assert.equal(await chat.question.locator('.bubble').innerText(), 'Note: at once');
        else assert.equal(await chat.box.inputValue(), '\nNote: at once\n');
        await held[0].continue().catch(() => {}); // the page was left
    }
});

test('Enter that ends a composition of an input method sends nothing', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    // Browsers differ: Chrome marks the key isComposing, Safari only gives key code 229 after compositionend.
    await chat.box.evaluate((box) => {
        const key = (more) => box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...more }));
        box.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
        box.value = 'にほん';
        box.dispatchEvent(new InputEvent('input', { bubbles: true, isComposing: true }));
        key({ isComposing: true, keyCode: 229 });
        box.value = '日本';
        box.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true, data: '日本' }));
        box.dispatchEvent(new InputEvent('input', { bubbles: true }));
        key({ keyCode: 229 });
    });
    assert.equal(await chat.box.inputValue(), '日本');
    assert.equal(await chat.messages.count(), 0);
    assert.equal(await page.locator('.pending').count(), 0);
    // A real Enter then sends exactly once.
    provider.next(answers('Gern.'), (call) => call.userText === '日本');
    await chat.box.press('Enter');
    await chat.reads('Gern.');
    assert.equal(await chat.questions.count(), 1);
});

test('a blank message is not sent, by key or by button', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await page.evaluate(() => document.addEventListener('invalid', () => { document.title = 'scolded'; }, true)); // the browser's own bubble
    for (const text of ['', ' ', '\n\n', ' \t\u00a0 ']) {
        await chat.write(text);
        await chat.box.press('Enter');
        await chat.sendButton.click({ force: true });
        assert.equal(await page.locator('#transcript article').count(), 0);
    }
    assert.equal(page.url(), `${alfred.baseUrl}/`);
    assert.notEqual(await page.title(), 'scolded');
});

test('with the setting, only Ctrl+Enter sends', async (t) => {
    const page = await open(t, { as: await alfred.user('carla'), path: '/settings' }); // the setting is the account's
    await page.getByRole('radio', { name: 'Ctrl+Enter' }).check();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.goto('/');
    await ready(page);
    const chat = new Chat(page);
    await chat.write('Note: a');
    await chat.box.press('Enter');
    await page.keyboard.type('b');
    assert.equal(await chat.box.inputValue(), 'Note: a\nb');
    await chat.box.press('Control+Enter');
    await chat.reads('Noted.');
});

test('with a virtual keyboard open, Enter breaks and the button sends', async (t) => {
    const page = await open(t, { as: anna, ...phone });
    const chat = new Chat(page);
    assert.ok(!(await chat.box.evaluate((el) => el === document.activeElement)), 'no keyboard jumps up by itself');
    await chat.box.tap();
    await page.setViewportSize({ width: phone.viewport.width, height: 420 }); // the keyboard takes its space
    await page.keyboard.type('Note: on');
    await page.keyboard.press('Enter');
    await page.keyboard.type('the phone');
    assert.equal(await chat.box.inputValue(), 'Note: on\nthe phone');
    await chat.sendButton.tap();
    await chat.reads('Noted.');
});

test('pasted line breaks stay', async (t) => {
    const page = await open(t, { as: anna, permissions: ['clipboard-read', 'clipboard-write'] });
    const chat = new Chat(page);
    await page.evaluate(() => navigator.clipboard.writeText('one\n\n  two\nthree'));
    await chat.box.press('Control+v');
    assert.equal(await chat.box.inputValue(), 'one\n\n  two\nthree');
});

test('the box shows that it takes files that are dragged over the page', async (t) => {
    const page = await blank(t, { as: anna }), loaded = page.waitForResponse(/\/js\/composer\/files\.js/);
    await page.goto('/');
    await (await loaded).finished();
    const drag = (kind, file) => page.evaluate(([k, f]) => {
        const data = new DataTransfer();
        if (f) data.items.add(new File(['one'], 'one.txt'));
        else data.setData('text/plain', 'one');
        document.querySelector('#transcript').dispatchEvent(new DragEvent(k, { bubbles: true, cancelable: true, dataTransfer: data }));
        return getComputedStyle(document.querySelector('#composer')).outlineStyle;
    }, [kind, file]);
    await until('it is shown', async () => (await drag('dragover', true)) === 'dashed');
    await until('and ends with the drag', () => page.locator('#composer').evaluate((el) => getComputedStyle(el).outlineStyle !== 'dashed'));
    assert.notEqual(await drag('dragover', false), 'dashed', 'a text goes where it is dropped');
    assert.equal(await drag('dragover', true), 'dashed');
    assert.notEqual(await drag('drop', true), 'dashed');
});

/** The names of the files above the text. */
const attached = (page) => page.locator('#composer .file-name').allInnerTexts();
const lastAsked = (text) => provider.calls.findLast((c) => asksForAnswer(c) && c.userText.includes(text));

test('a text file is shown above the text and sent as a block below it, as pasted text; others are told', async (t) => {
    const page = await blank(t, { as: anna });
    const loaded = page.waitForResponse(/\/js\/composer\/files\.js/);
    await page.goto('/');
    await (await loaded).finished();
    const chat = new Chat(page);
    const give = (kind, name, parts) => page.evaluate(([k, n, p]) => {
        const data = new DataTransfer(), init = { bubbles: true, cancelable: true };
        data.items.add(new File(p.map((x) => (typeof x === 'number' ? new Uint8Array([x]) : x)), n));
        const e = k === 'drop' ? new DragEvent('drop', { ...init, dataTransfer: data }) : new ClipboardEvent('paste', { ...init, clipboardData: data });
        return document.querySelector(k === 'drop' ? '#transcript' : '#text').dispatchEvent(e);
    }, [kind, name, parts]);
    await until('files are taken', async () => !(await give('drop', 'no.bin', [0x89, 'PNG', 0])));
    await page.locator('.toast', { hasText: 'but not this: no.bin' }).waitFor();
    await page.keyboard.type('Note: see');
    assert.equal(await give('drop', 'log.txt', ['one\r\n```\ntwo']), false, 'the browser does not open it');
    await until('it is shown', async () => (await attached(page)).length === 1);
    assert.equal(await give('paste', 'b.js', ['let b;\n']), false);
    await until('both are shown', async () => (await attached(page)).join() === 'log.txt,b.js');
    assert.equal(await chat.box.inputValue(), 'Note: see', 'the text is the typed one');
    const umlauts = 'Äpfel – 5 €\r\n', wide = [...Buffer.from(umlauts, 'utf16le')], swapped = Buffer.from(wide).swap16();
    for (const bytes of [[0xff, 0xfe, ...wide], [0xfe, 0xff, ...swapped], [0xef, 0xbb, 0xbf, ...Buffer.from(umlauts)], [0xc4, ...Buffer.from('pfel '), 0x96, ...Buffer.from(' 5 '), 0x80, 13, 10]]) {
        await give('drop', 'old.txt', bytes);
        await until('its letters are read', async () => (await page.locator('#composer .file pre').last().textContent()) === 'Äpfel – 5 €\n');
        await page.getByRole('button', { name: 'Remove old.txt' }).click();
    }
    for (const [name, bytes] of [['gz', [0x1f, 0x8b, 8, 0, 0xe4, 0xf6]], ['utf16', [0xff, 0xfe, 0x41]], ['undefined', [0x41, 0x81]]]) {
        await give('drop', `bin.${name}`, bytes);
        await page.locator('.toast', { hasText: `but not this: bin.${name}` }).waitFor();
    }
    await give('drop', 'wide.txt', [0xff, 0xfe, 'x\0'.repeat(100_000)]); // 98 KB of text, below the limit
    await until('the length of its text counts', async () => (await attached(page)).includes('wide.txt'));
    await page.getByRole('button', { name: 'Remove wide.txt' }).click();
    await give('drop', 'big.txt', ['x'.repeat(2 ** 20)]);
    await page.locator('.toast', { hasText: 'This does not fit: big.txt. A message and its files have at most 100 KB of text.' }).waitFor();
    assert.ok(await chat.box.evaluate((el) => el === document.activeElement));
    const sent = page.waitForRequest((r) => r.method() === 'POST' && /\/messages$/.test(r.url()));
    await page.keyboard.press('Enter');
    const { text, pasted_from } = (await sent).postDataJSON();
    assert.equal(text, 'Note: see\n\nlog.txt\n````\none\n```\ntwo\n````\n\nb.js\n```\nlet b;\n```');
    assert.equal(pasted_from, 'Note: see\n\n'.length);
    await chat.reads('Noted.');
    assert.equal(lastAsked('b.js').userText, text, 'the model gets all of it');
    assert.deepEqual(await attached(page), []);
    assert.equal(await chat.question.locator('.bubble').innerText(), 'Note: see');
    assert.deepEqual(await chat.question.locator('.file > summary').allInnerTexts(), ['log.txt\n12 bytes', 'b.js\n7 bytes']);
    assert.equal(await chat.question.locator('pre:visible').count(), 0);
    await chat.question.locator('.file > summary').first().click();
    assert.equal((await chat.question.locator('pre:visible').innerText()).trim(), 'one\n```\ntwo');
});

for (const [where, size] of [['a desktop', {}], ['a phone', phone]])
    for (const colorScheme of ['light', 'dark'])
        test(`files are attached, read, removed and sent by keyboard, and stay in a draft, on ${where}, ${colorScheme}`, async (t) => {
            const page = await open(t, { as: anna, colorScheme, ...size });
            const chat = new Chat(page), button = page.getByRole('button', { name: 'Attach pictures, documents or text files' });
            const choose = async (act, ...files) => {
                const [chooser] = await Promise.all([page.waitForEvent('filechooser'), act()]);
                assert.ok(chooser.isMultiple());
                await chooser.setFiles(files.map(([name, text]) => ({ name, mimeType: '', buffer: Buffer.from(text) })));
            };
            const shot = (name) => process.env.SHOTS && page.screenshot({ path: `${process.env.SHOTS}/files-${name}-${where.slice(2)}-${colorScheme}.png` });
            await button.focus();
            await choose(() => page.keyboard.press('Enter'), ['photo.bin', '\x89PNG\0'], ['a.txt', 'one\n']);
            await page.locator('.toast', { hasText: 'but not this: photo.bin' }).waitFor();
            await until('it is shown', async () => (await attached(page)).length === 1);
            assert.ok(await chat.box.evaluate((el) => el === document.activeElement));
            const long = 'a file whose name is much longer than the box of the message.csv';
            await choose(() => button.click(), ['a.txt', 'two\n'], [long, 'date,amount\n'.repeat(400)]);
            await until('the same file is added again', async () => (await attached(page)).length === 3);
            await page.reload();
            await until('they are in the draft', async () => (await attached(page)).length === 3);
            await shot('draft');
            const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.equal(await overflow(), 0);
            const first = page.locator('#composer .file > summary').first();
            await first.focus();
            await page.keyboard.press('Enter');
            assert.equal(await page.locator('#composer .file pre').first().innerText(), 'one\n');
            assert.deepEqual(await axe(page), []);
            await shot('open');
            await page.getByRole('button', { name: 'Remove a.txt' }).first().focus();
            await page.keyboard.press('Enter');
            await until('it is gone', async () => (await attached(page)).join() === `a.txt,${long}`);
            await page.keyboard.press('Enter'); // the focus is in the box: files alone are a message
            await chat.reads('Noted.');
            await chat.settled();
            assert.equal(lastAsked(long).userText.startsWith('a.txt\n```\ntwo\n```\n\na file'), true);
            assert.equal(await chat.question.locator('.bubble').count(), 0);
            assert.deepEqual(await chat.question.locator('.file-size').allInnerTexts(), ['4 bytes', '5\u00a0KB']);
            assert.deepEqual(await axe(page), []);
            assert.equal(await overflow(), 0);
            await shot('sent');
            await chat.question.locator('.file > summary').last().press('Enter');
            await shot('sent-open');
            assert.equal(await overflow(), 0);
            await page.reload();
            assert.deepEqual(await attached(page), []);
        });

test('files that one tab has sent are gone in another tab', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page);
    await chat.exchange(provider, answers('Noted.'), 'Note: two tabs');
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('#attach').click()]);
    await chooser.setFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('one\n') }]);
    await until('it is shown', async () => (await attached(page)).length === 1);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await until('the draft is there', async () => (await attached(second)).join() === 'a.txt');
    await chat.box.press('Enter');
    await chat.settled();
    await until('it is gone', async () => (await attached(second)).length === 0);
});

test('many files leave the box and the page in view on a phone, and all that are refused are named', async (t) => {
    const page = await open(t, { as: anna, ...phone }), chat = new Chat(page);
    const file = (name, data) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(data) });
    const chooser = page.waitForEvent('filechooser');
    await page.locator('#attach').click();
    await (await chooser).setFiles([...Array.from({ length: 20 }, (_, i) => file(`notes-${i}.txt`, `Line ${i}`)), file('one.bin', [0, 1]), file('two.bin', [0, 2])]);
    await page.locator('.toast', { hasText: /one\.bin.*two\.bin/ }).waitFor();
    assert.equal(await page.locator('.composer .file').count(), 20);
    const [form, bar] = [await page.locator('#composer').boundingBox(), await page.locator('.bar').boundingBox()];
    assert.ok(form.y >= bar.y + bar.height, JSON.stringify([form, bar]));
    assert.ok(await chat.box.isVisible());
});

test('files wait, come back and are refused with their message', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 413/] });
    const chat = new Chat(page), note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('The rent is 870.\n') };
    const attach = async (...files) => {
        const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('#attach').click()]);
        await chooser.setFiles(files);
    };
    await chat.send('Hold on');
    const call = await asked('Hold on');
    await attach(note);
    await until('it is shown', async () => (await attached(page)).length === 1);
    assert.ok(await chat.sendButton.isVisible(), 'files alone can be sent');
    await chat.send('Waits with a file');
    await chat.waiting.getByText('note.txt').waitFor();
    await page.reload();
    await chat.waiting.getByRole('button', { name: 'Edit' }).click();
    await until('it is back', async () => (await attached(page)).join() === 'note.txt');
    assert.equal(await chat.box.inputValue(), 'Waits with a file');
    await chat.box.press('Enter');
    await chat.waiting.getByText('note.txt').waitFor();
    await page.reload();
    await call.text('Done.');
    await call.end();
    await chat.reads('Noted.');
    await chat.settled();
    assert.equal(lastAsked('Waits with a file').userText, 'Waits with a file\n\nnote.txt\n```\nThe rent is 870.\n```');
    await attach(note);
    await until('it is shown', async () => (await attached(page)).length === 1);
    await chat.send('x'.repeat(MESSAGE_BYTES - 16));
    await page.locator('#send-problem').getByText('Your text is kept.').waitFor();
    assert.deepEqual(await attached(page), ['note.txt']);
});

test('the box grows from one line to eight and then scrolls', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    const height = () => chat.box.evaluate((el) => el.clientHeight);
    const one = await height();
    const line = await chat.box.evaluate((el) => parseFloat(getComputedStyle(el).lineHeight));
    const heights = [];
    for (let lines = 2; lines <= 10; lines++) {
        await chat.write(Array(lines).fill('x').join('\n'));
        heights.push(Math.round((await height()) - one) / line);
    }
    assert.deepEqual(heights.slice(0, 7).map(Math.round), [1, 2, 3, 4, 5, 6, 7]);
    assert.equal(heights[8], heights[7], 'it stops at eight');
    assert.ok(Math.round(heights[8]) <= 7);
    assert.ok(await chat.box.evaluate((el) => el.scrollHeight > el.clientHeight));
    await chat.write('');
    assert.equal(await height(), one);
});

test('a draft belongs to its session, survives a reload and is gone once sent', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.write('for a new chat');
    await page.reload();
    await ready(page);
    assert.equal(await chat.box.inputValue(), 'for a new chat');
    await chat.send('Note: begin');
    await chat.reads('Noted.');
    await chat.settled();
    const session = page.url();
    await chat.write('for this session');
    await page.goto('/');
    await ready(page);
    assert.equal(await chat.box.inputValue(), '', 'the new chat has none: its text was sent');
    await page.goto(session);
    await ready(page);
    assert.equal(await chat.box.inputValue(), 'for this session');
    await chat.send('Note: over');
    await chat.settled();
    await page.reload();
    await ready(page);
    assert.equal(await chat.box.inputValue(), '');
});

test('a draft in a new chat stays with the session when its first answer runs', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('Slow one');
    const call = await asked('Slow one');
    await chat.write('half a thought');
    await call.text('Yes');
    await chat.reads('Yes');
    await page.waitForURL(/\/s\//);
    await page.reload();
    await ready(page);
    assert.equal(await chat.box.inputValue(), 'half a thought');
    await call.end();
    await chat.settled();
});

/** Two pages of one browser. */
async function twoTabs(t, as, path = '/') {
    const shared = await context(t, { as });
    const tab = async (to) => {
        const page = await shared.newPage();
        await page.goto(to);
        await ready(page);
        return Object.assign(new Chat(page), { page });
    };
    return { shared, one: await tab('/'), two: await tab(path) };
}
const draft = (page) => page.evaluate(() => Object.entries(localStorage).find(([k]) => k.startsWith('alfred.draft.'))?.[1] ?? null);
const stores = (page, text) => until('the draft is stored', async () => (await draft(page)) === text);

test('a tab without a draft leaves that of another tab alone; what one has sent is gone in the other', async (t) => {
    const { one, two } = await twoTabs(t, await alfred.user('tabs'));
    await one.write('Note: a long draft');
    await stores(one.page, 'Note: a long draft');
    await two.page.goto('/tasks');
    await ready(two.page);
    assert.equal(await draft(two.page), 'Note: a long draft');
    await Promise.all([two.page.waitForResponse(/watch\.js/), two.page.goto('/')]);
    assert.equal(await two.box.inputValue(), 'Note: a long draft');
    await one.box.press('Enter');
    await one.reads('Noted.');
    await one.settled();
    await until('the other box is empty', async () => !(await two.box.inputValue()));
    await two.page.goto('/tasks');
    assert.equal(await draft(two.page), null);
});

test('nobody sees the draft of another user of the browser, after a sign-out in another tab or an expired sign-in', async (t) => {
    const { shared, one, two } = await twoTabs(t, await alfred.user('first'), '/tasks');
    const become = async (client) => {
        await shared.clearCookies();
        await shared.addCookies([...client.cookies].map(([name, value]) => ({ name, value, url: alfred.baseUrl })));
    };
    await one.page.evaluate((m) => import(m), await one.page.evaluate(() => `/static/${document.documentElement.dataset.asset}/js/chat/watch.js`));
    await one.write('A private thought');
    await stores(one.page, 'A private thought');
    await Promise.all([two.page.waitForResponse(/account\.js/), two.page.locator('#account-menu summary').click()]);
    await two.page.getByRole('button', { name: 'Sign out' }).click();
    await two.page.waitForURL(/signin/);
    await until('the box of the other tab is empty', async () => !(await one.box.inputValue()));
    await one.page.goto('/signin');
    assert.equal(await draft(two.page), null);
    const second = await alfred.user('second');
    await become(second);
    await one.page.goto('/');
    await ready(one.page);
    await one.write('For me only');
    await stores(one.page, 'For me only');
    await become(await alfred.user('third'));
    await one.page.goto('/');
    await ready(one.page);
    assert.equal(await one.box.inputValue(), '');
    await become(second);
    await one.page.goto('/');
    await ready(one.page);
    assert.equal(await one.box.inputValue(), 'For me only');
});

test('a message that the server has not accepted is offered again after a reload, and arrives once', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 503/] }), chat = new Chat(page);
    const ids = new Set();
    page.on('request', (r) => r.method() === 'POST' && /\/messages$/.test(r.url()) && ids.add(r.postDataJSON().client_id));
    const busy = (route) => route.fulfill({ status: 503, headers: { 'retry-after': '30' }, json: { error: { code: 'unavailable', message: 'Alfred is busy.', retry_after: 30 } } });
    await page.route('**/page/sessions/new/messages', busy);
    await chat.send('Note: ten minutes of work');
    await page.locator('.live-note', { hasText: 'Alfred is busy.' }).waitFor();
    await page.reload();
    await ready(page);
    const item = chat.waiting.filter({ hasText: 'Note: ten minutes of work' });
    await item.waitFor();
    assert.equal(await chat.box.inputValue(), '');
    await page.reload();
    await ready(page);
    await item.waitFor(); // nothing is sent by itself
    await page.unroute('**/page/sessions/new/messages', busy);
    await item.getByRole('button', { name: 'Send now' }).click();
    await chat.reads('Noted.');
    await chat.settled();
    assert.equal(await stored(page), 2);
    assert.equal(ids.size, 1, 'it has the same name for the server');
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((k) => /sent|queue/.test(k))), []);
});

test('a message that the server has accepted, but not confirmed, arrives once when the page is reloaded meanwhile', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page), text = 'Note: over a slow line';
    let held;
    const slow = new Promise((done) => { held = done; });
    t.after(() => held());
    await page.route('**/page/sessions/new/messages', async (route) => {
        await route.fetch(); // the server has it
        held();
        // and the page hears nothing
    }, { times: 1 });
    await chat.send(text);
    await slow;
    await page.reload();
    await ready(page);
    const item = chat.waiting.filter({ hasText: text });
    await item.waitFor();
    assert.equal(await chat.box.inputValue(), '');
    await item.getByRole('button', { name: 'Send now' }).click();
    await chat.reads('Noted.');
    await chat.settled();
    assert.deepEqual(await chat.texts(), [text, 'Noted.']);
    assert.equal(alfred.database((db) => db.prepare('SELECT count(*) AS n FROM message WHERE text = ?').get(text).n), 1);
});

test('a message that is too long is kept, and no Retry is offered', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 413/] });
    const chat = new Chat(page), text = 'word '.repeat(MESSAGE_BYTES / 4).trim();
    await chat.send(text);
    const problem = page.locator('#send-problem');
    await problem.getByText('The message is longer than 100 KB.').waitFor();
    assert.equal(await problem.getByRole('button').count(), 0);
    assert.equal(await chat.box.inputValue(), text);
});

test('a message that cannot be sent is kept with a Retry that works, and arrives once', async (t) => {
    const page = await open(t, { as: anna, allow: [/ERR_INTERNET_DISCONNECTED/] });
    const chat = new Chat(page);
    await page.context().setOffline(true);
    await chat.send('Note: from the train');
    const problem = page.locator('#send-problem');
    await problem.getByText(/offline/).waitFor();
    assert.equal(await chat.box.inputValue(), 'Note: from the train');
    assert.equal(await page.locator('.pending').count(), 0);
    await page.context().setOffline(false);
    await problem.getByText('You are online again.').waitFor();
    assert.equal(await problem.getByText(/offline/).count(), 0);
    await problem.getByRole('button', { name: 'Retry' }).click();
    await chat.reads('Noted.');
    await chat.settled();
    assert.equal(await stored(page), 2);
    assert.equal(await chat.box.inputValue(), '');
    assert.equal(await problem.isVisible(), false);
    await chat.send('Note: from the train');
    await until('the same text is a message again', async () => (await stored(page)) === 4);
});

test('the text of a PDF file is attached; one without text, and one that is none, are named', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    const attach = async (name, buffer) => {
        const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('#attach').click()]);
        await chooser.setFiles([{ name, mimeType: 'application/pdf', buffer }]);
    };
    await attach('lease.pdf', pdf([['Lease of the flat', 'Rent: 870 euro (cold)'], ['Page two, notice: three months']]));
    await until('its text is read', async () => (await attached(page)).join() === 'lease.pdf');
    assert.equal(await page.locator('.toast', { hasText: 'is being read' }).count(), 0, 'that is over');
    assert.equal(await page.locator('#composer .file pre').textContent(), 'Lease of the flat\nRent: 870 euro (cold)\n\nPage two, notice: three months\n');
    await attach('scan.pdf', pdf([[]]));
    await page.locator('.toast', { hasText: /has no text, only pictures.*scan\.pdf/ }).waitFor();
    await attach('no.pdf', Buffer.from('nothing'));
    await page.locator('.toast', { hasText: /cannot be read as PDF.*no\.pdf/ }).waitFor();
    await attach('long.pdf', pdf(Array.from({ length: 30 }, (_, n) => Array.from({ length: 45 }, (_, i) => `Page ${n}, line ${i}: ${'word '.repeat(90)}`))));
    await page.locator('.toast', { hasText: 'This does not fit: long.pdf. A message and its files' }).waitFor();
});

test('an office document becomes a file with its text, which the model gets', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 415/] });
    const chat = new Chat(page);
    const attach = async (name, buffer) => {
        const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('#attach').click()]);
        await chooser.setFiles([{ name, mimeType: 'application/octet-stream', buffer }]);
    };
    await attach('Bericht März.docx', docx(['Rent: 870 euro', 'Notice: three months']));
    await until('its text is read', async () => (await attached(page)).join() === 'Bericht März.docx');
    assert.equal(await page.locator('.toast', { hasText: 'is being read' }).count(), 0, 'that is over');
    await attach('old.xls', compound('Workbook'));
    await page.locator('.toast', { hasText: 'old.xls has an old format. Save it as .xlsx.' }).waitFor();
    await chat.box.fill('Note the rent');
    await page.keyboard.press('Enter');
    await chat.reads('Noted.');
    assert.match(lastAsked('Notice:').userText, /Bericht März\.docx\n```\nRent: 870 euro\n\nNotice: three months\n```/);
});
