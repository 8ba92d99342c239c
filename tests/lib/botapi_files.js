// Files of botapi.js: what people send, as PhotoSize and Document, getFile, and the addresses of the files.
//
//     await bot.says({ chat, more: { photo: bot.files.photo(png(1280, 960)), caption: 'What is this?' } });
//     await bot.says({ chat, more: { document: bot.files.document(bytes, 'image/png') } });

const MAX = 20 * 1024 * 1024; // bytes that a bot gets

const fail = (code, description) => ({ status: code, body: { ok: false, error_code: code, description } });

export class BotFiles {
    #files = new Map(); // by file_id: {bytes, size, file_path}
    #paths = new Map(); // that getFile has told: file_id
    #next = 1;

    /** `size`: as the server tells it, when it is not that of the bytes. */
    #add(bytes, folder, ext, size = bytes.length) {
        const n = this.#next++;
        const file_id = `AgACAgIAAxkBAAM${n}`;
        this.#files.set(file_id, { bytes, size, file_path: `${folder}/file_${n}.${ext}` });
        return { file_id, file_unique_id: `AQAD${n}`, file_size: size };
    }
    /** The sizes of a photo. The bytes are those of the largest one; the others are bytes that are no picture. */
    photo(bytes, { width = 1280, height = 960, size } = {}) {
        const small = { ...this.#add(Buffer.from('small'), 'photos', 'jpg'), width: 90, height: Math.max(1, Math.round((90 * height) / width)) };
        return [small, { ...this.#add(bytes, 'photos', 'jpg', size), width, height }];
    }
    /** Both its type and its name are optional: null. */
    document(bytes, mime_type, { name = 'a file', size } = {}) {
        return { ...(name && { file_name: name }), ...(mime_type && { mime_type }), ...this.#add(bytes, 'documents', mime_type?.split('/')[1] ?? 'bin', size) };
    }
    voice(bytes, { duration = 1, size } = {}) {
        return { duration, mime_type: 'audio/ogg', ...this.#add(bytes, 'voice', 'oga', size) };
    }
    /** A person deletes the message before the bot has fetched its file. */
    remove({ file_id }) {
        this.#files.set(file_id, null);
    }

    /** getFile: {result} or a failure. */
    get({ file_id }) {
        const file = this.#files.get(file_id);
        if (!file) return fail(400, file === null ? 'Bad Request: wrong file_id or the file is temporarily unavailable' : 'Bad Request: invalid file_id');
        if (file.size > MAX) return fail(400, 'Bad Request: file is too big');
        this.#paths.set(file.file_path, file_id);
        return { result: { file_id, file_unique_id: file_id, file_size: file.size, file_path: file.file_path } };
    }
    /** The answer at the address of a file, which getFile must have told before. */
    at(path) {
        const file = this.#files.get(this.#paths.get(path));
        return file ? { status: 200, raw: file.bytes, type: 'application/octet-stream' } : fail(404, 'Not Found');
    }
}
