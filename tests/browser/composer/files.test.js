// Files of a message: attached, dragged, refused, kept until the message is sent; text, PDF files and office documents.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compound, docx } from '../../lib/documents.js';
import { pdf } from '../../lib/pdf.js';
import { Chat } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { answers, asksForAnswer, phone, stage, until } from '../lib/stage.js';

/** The limit of a message, a tenth of the default: a text of 1 MB costs the browser ten seconds, above all in the box. */
const MESSAGE_BYTES = 100 * 1024;
const { alfred, provider, open, blank, asked, context } = await stage({ config: { limits: { message_bytes: MESSAGE_BYTES } } });
const anna = await alfred.admin('anna');
provider.always(answers('Noted.'), (call) => /^Note|^a\.txt|^Waits with/.test(call.userText));

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
