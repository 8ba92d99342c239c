// Files that people send in Telegram: text files and PDF files become blocks of the question, as from the message box of the
// browser. PDF files are read by a confined program, which the last test replaces by one that tries to get out.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { fails, hangs } from '../../lib/botapi.js';
import { asksForAnswer, provide, sessionOf } from '../../lib/chat.js';
import { compound, docx } from '../../lib/documents.js';
import { pdf } from '../../lib/pdf.js';
import { ROOT, until } from '../../lib/rig.js';
import { linkPerson, startTelegram } from '../../lib/telegram.js';
import { zip } from '../../lib/zip.js';

const provider = await provide();
provider.always(answers('Read.'), asksForAnswer);
const start = async (more = {}) => {
    const it = await startTelegram({ t: { after }, env: { ...provider.env, ...more }, config: { limits: { message_bytes: 20 * 1024 } } });
    return { ...it, anna: await it.alfred.admin('anna') };
};
const { alfred, bot, anna } = await start();

let people = 1000;
function linked(service = alfred) {
    linkPerson(service, ++people, 'anna');
    return people;
}
const shows = (chat, what, in_ = bot) => until(`chat ${chat} shows ${what}`, () => in_.texts(chat).find((text) => (what instanceof RegExp ? what.test(text) : text === what)));
const questions = (chat) => alfred.sql("SELECT m.id, m.text, m.pasted_from, s.pub AS session FROM message m JOIN channel_chat c ON c.session_id = m.session_id JOIN session s ON s.id = m.session_id WHERE c.chat = ? AND m.role = 'user' ORDER BY m.id", String(chat));
const file = (text, name, type = 'text/plain', more = {}) => bot.files.document(Buffer.from(text), type, { name, ...more });
const fetched = (document) => bot.of('getFile').filter((c) => c.params.file_id === document.file_id).length;
/** The text of the question that a file becomes. */
async function asked(chat, document, caption) {
    const before = questions(chat).length;
    await bot.says({ chat, more: { document, ...(caption && { caption }) } });
    await until('it is asked', () => questions(chat).length > before);
    return questions(chat).at(-1).text;
}

test('a file is a block below the caption, counts as pasted, and the model reads it', async () => {
    const chat = linked();
    assert.equal(await asked(chat, file('one\r\ntwo', 'notes.md', 'text/markdown'), 'Summarise'), 'Summarise\n\nnotes.md\n```\none\ntwo\n```');
    const [{ session, pasted_from: typed }] = questions(chat);
    assert.equal(typed, 'Summarise'.length);
    await shows(chat, 'Read.');
    assert.match(provider.calls.findLast(asksForAnswer).userText, /notes\.md\n```\none\ntwo\n```/);
    assert.match((await anna.get(`/s/${session}`)).text, /<span class="file-name">notes\.md</);
    assert.equal((await sessionOf(anna, session)).messages[0].text, questions(chat)[0].text);
    assert.equal(await asked(chat, file('FROM debian', 'Dockerfile', null)), './Dockerfile\n```\nFROM debian\n```');
    assert.equal(questions(chat)[1].pasted_from, 0);
});

test('an album is one question with all files, in every charset that editors read', async () => {
    const chat = linked();
    const documents = [file('\ufeffZürich', 'a.txt'), bot.files.document(Buffer.from('\ufeffZürich', 'utf16le'), 'application/octet-stream', { name: 'b.csv' }), bot.files.document(Buffer.from('Z\xfcrich', 'latin1'), 'image/svg+xml', { name: 'c.svg' })];
    await bot.album({ chat, documents, caption: 'Compare' });
    await until('it is asked', () => questions(chat).length);
    assert.equal(questions(chat)[0].text, `Compare\n\n${['a.txt', 'b.csv', 'c.svg'].map((name) => `${name}\n\`\`\`\nZürich\n\`\`\``).join('\n\n')}`);
});

test('a name is one line without characters that change the text around it', async () => {
    const chat = linked();
    for (const [name, shown] of [['a\nb\u202e.txt', 'a b.txt'], [`${'ä'.repeat(200)}.json`, `${'ä'.repeat(54)}….json`], ['```.txt', './```.txt'], [null, './attachment']])
        assert.equal(await asked(chat, file('x', name)), `${shown}\n\`\`\`\nx\n\`\`\``);
});

test('a reply to a file has it, an edited caption keeps it', async () => {
    const chat = linked(), document = file('the content', 'a.txt');
    const message = await bot.says({ chat, more: { document } });
    await shows(chat, 'Read.');
    await bot.edits(message, 'Wath is this?');
    await until('it has a caption', () => questions(chat)[0].text === 'Wath is this?\n\na.txt\n```\nthe content\n```');
    await bot.edits({ ...message, caption: 'Wath is this?' }, 'What is this?');
    await until('it is corrected', () => questions(chat)[0].text === 'What is this?\n\na.txt\n```\nthe content\n```');
    await bot.says({ chat, text: 'And who wrote it?', replyTo: message.message_id });
    await until('it is asked', () => questions(chat)[1]?.text === 'And who wrote it?\n\na.txt\n```\nthe content\n```');
});

test('a PDF file has the text that the browser reads in it', async () => {
    const chat = linked();
    const bytes = pdf([['Page (one)', 'has two lines'], [], ['Page three']]);
    assert.equal(await asked(chat, bot.files.document(bytes, 'application/pdf', { name: 'a.pdf' })), 'a.pdf\n```\nPage (one)\nhas two lines\n\n\n\nPage three\n```');
    assert.equal(await asked(chat, bot.files.document(bytes, null, { name: null })), './attachment\n```\nPage (one)\nhas two lines\n\n\n\nPage three\n```');
});

test('an office document has its text, whatever its type says', async () => {
    const chat = linked();
    assert.equal(await asked(chat, bot.files.document(docx(['One', 'Two']), 'application/octet-stream', { name: 'a.docx' })), 'a.docx\n```\nOne\n\nTwo\n```');
});

test('what cannot be read ends with a sentence and no question', async () => {
    const chat = linked();
    const cases = [
        [bot.files.document(pdf([['x']], { locked: true }), 'application/pdf', { name: '[l](http://x)*.pdf' }), /^\[l\]\(http:\/\/x\)\*\.pdf is protected by a password\. Save it without one\. Your message was not sent/],
        [bot.files.document(pdf([[]]), 'application/pdf', { name: 'e.pdf' }), /^e\.pdf has no text, only pictures/],
        [bot.files.document(compound('WordDocument'), 'application/msword', { name: '*old.doc' }), /^\*old\.doc has an old format\. Save it as \.docx\. Your message was not sent/],
        [file('%PDF', 'b.pdf'), /^b\.pdf is damaged/],
        [file('a'.repeat(20 * 1024 + 1), 'c.txt'), /^c\.txt is too long: its text has more than 20\sKB/],
        [file('a'.repeat(60_000), 'd.txt'), /^d\.txt is too long/],
        [file('x', 'f.txt', 'text/plain', { size: 21 * 1024 * 1024 }), /larger than 20\sMB, and bots/],
    ];
    for (const [document, words] of cases) {
        await bot.says({ chat, more: { document, caption: 'Read this' } });
        await shows(chat, words);
    }
    assert.equal(fetched(cases.at(-1)[0]), 0);
    await bot.album({ chat, documents: [file('a'.repeat(12_000), 'a.txt'), file('b'.repeat(12_000), 'b.txt')] });
    await shows(chat, /more than 20\sKB of text together/);
    assert.deepEqual(questions(chat), []);
});

test('a file of another kind is left out, as before', async () => {
    const chat = linked(), other = () => bot.files.document(zip([['a.bin', 'x']]), 'application/zip', { name: 'a.zip' });
    await bot.says({ chat, more: { document: other() } });
    await shows(chat, /cannot read this yet: file/);
    assert.equal(await asked(chat, other(), 'Unpack'), 'Unpack');
    await shows(chat, /only the text, not this: file/);
});

test('a file whose download fails, or whose helper ends, is fetched again', async () => {
    const chat = linked(), document = file('x', 'a.txt'), second = file('y', 'b.txt');
    bot.next('file', fails(404)); // the path has expired
    assert.equal(await asked(chat, document, 'Later'), 'Later\n\na.txt\n```\nx\n```');
    assert.equal(fetched(document), 2);
    const before = bot.of('file').length;
    bot.next('file', hangs());
    await bot.says({ chat, more: { document: second } });
    await until('the file is asked for', () => bot.of('file').length > before);
    await alfred.killAndAwait('helper');
    await until('it is asked', () => questions(chat).length === 2);
});

test('the program that reads a PDF file sees nothing of Alfred, and ends with the helper', async () => {
    const it = await start({ PATH: `${ROOT}/build/fake:${process.env.PATH}` });
    const chat = linked(it.alfred);
    const says = (command) => it.bot.says({ chat, more: { document: it.bot.files.document(Buffer.from(`%PDF-1.4 ${command}`), 'application/pdf', { name: 'x.pdf' }) } });
    const texts = () => it.alfred.sql('SELECT text FROM message WHERE role = ? ORDER BY id', 'user').map((m) => m.text);
    for (const path of [`${it.alfred.dataDir}/alfred.db`, '/etc/passwd', '/proc/self/environ']) {
        const before = texts().length;
        await says(`read ${path}`);
        await until('it is asked', () => texts().length > before);
        assert.equal(texts().at(-1), 'x.pdf\n```\nrefused: Permission denied\n```');
    }
    await says('flood');
    await shows(chat, /^x\.pdf is too long/, it.bot);
    await says('hang');
    await until('the program runs', () => it.alfred.pids('pdftotext').length);
    await it.alfred.killAndAwait('helper', 'SIGTERM'); // the rig waits for the end of all programs after the test, too
});
