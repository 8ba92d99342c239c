// The objects of the API's answers for docs/openapi.yaml, and which answer holds which. tests/http/openapi.test.js
// compares them with what the running service answers, both ways.
//
// A property is its type: 'string', 'integer', 'boolean', a schema's name, or [one of these] for a list; a '?' behind it
// says that it may be null, a '~' that it is not always there.

const created = { created_iso: 'string', created_words: 'string', created_exact: 'string' };
const source = { source_message: 'string?', source_url: 'string?' };

export const schemas = {
    Context: { tokens: 'integer', window: 'integer', percent: 'integer', known: 'boolean', compacting: 'boolean', error: 'string?' },
    Session: {
        id: 'string', title: 'string', untitled: 'boolean', url: 'string', running: 'boolean', unread: 'boolean', pinned: 'boolean', archived: 'boolean',
        message_count: 'integer', count_words: 'string', topic: 'string?', keywords: ['string'], workspace: 'string?',
        active_iso: 'string', active_words: 'string', active_exact: 'string', context: 'Context',
    },
    Message: {
        id: 'string', anchor: 'string', session_id: 'string', parent_id: 'string?', role: 'string', is_user: 'boolean', is_assistant: 'boolean', is_tool: 'boolean',
        status: 'string', running: 'boolean', stopped: 'boolean', interrupted: 'boolean', failed: 'boolean', error: 'string?',
        text: 'string', body_html: 'string', has_calls: 'boolean', can_retry: 'boolean', last_in_path: 'boolean',
        tool: 'string~', tool_label: 'string~', tool_icon: 'string~', tool_args: 'string~', tool_result: 'string~',
        sibling: 'integer', siblings: 'integer', has_siblings: 'boolean', prev_id: 'string?', prev_url: 'string?', next_id: 'string?', next_url: 'string?',
        ...created, model_label: 'string?', csrf: 'string', turn: 'string?', leaf_id: 'string?',
        remembered: 'object?', confirm: 'object?', settled: 'string?', compaction: 'object?',
    },
    Memory: { id: 'string', text: 'string', tags: 'string', has_tags: 'boolean', permanent: 'boolean', expires_exact: 'string?', ...created, used_iso: 'string?', used_words: 'string~', used_exact: 'string~', ...source },
    Suggestion: { id: 'string', text: 'string', source_message: 'string', source_url: 'string', ...created },
    Task: {
        id: 'string', text: 'string', due: 'string?', due_words: 'string?', when: 'string', overdue: 'boolean', is_done: 'boolean', ...created,
        done_iso: 'string?', done_words: 'string~', done_exact: 'string~', ...source,
    },
    Summary: {
        id: 'string', version: 'integer', whole: 'boolean', current: 'boolean', open: 'boolean', first_id: 'string', last_id: 'string', first_url: 'string',
        messages: 'integer', count_words: 'string', text: 'string', body_html: 'string', by_rule: 'boolean', model_label: 'string?', ...created,
    },
    Compaction: {
        id: 'string', url: 'string', transcript_url: 'string', messages_url: 'string', first_id: 'string', last_id: 'string', messages: 'integer', count_words: 'string',
        tokens_before: 'integer', tokens_after: 'integer', numbers_words: 'string', keep: 'string', text: 'string', body_html: 'string',
        facts: ['string'], has_facts: 'boolean', by_rule: 'boolean', model_label: 'string?', ...created,
    },
    Transfer: {
        id: 'string', kind: 'string', format: 'string?', state: 'string', label: 'string', status_words: 'string', going: 'boolean', failed: 'boolean',
        total: 'integer', done: 'integer', skipped: 'integer', known: 'integer', facts: 'integer', percent: 'integer', bytes: 'integer', size_words: 'string?',
        error: 'string?', file_url: 'string?', until_exact: 'string?', brought: 'boolean', ...created,
    },
    Error: { code: 'string', message: 'string', retry_after: 'integer~' },
};

/** The answers that hold them, by route. */
export const answers = {
    'GET /api/sessions': { sessions: ['Session'], next: 'string?', workspaces: ['string'] },
    'GET /api/sessions/{}': { session: 'Session', messages: ['Message'], older: 'string?', turn: 'string?' },
    'GET /api/sessions/{}/summaries': { session: 'Session', summaries: ['Summary'], next: 'integer?', pending: 'object?' },
    'GET /api/sessions/{}/compactions': { session: 'Session', compactions: ['Compaction'], next: 'string?' },
    'GET /api/sessions/{}/compactions/{}': { session: 'Session', compaction: 'Compaction' },
    'GET /api/memories': { memories: ['Memory'], next: 'string?', paused: 'boolean' },
    'POST /api/memories': { memory: 'Memory', known_before: 'boolean' },
    'GET /api/memories/suggestions': { suggestions: ['Suggestion'], upto: 'string?' },
    'GET /api/tasks': { tasks: ['Task'], next: 'string?' },
    'POST /api/tasks': { task: 'Task' },
    'GET /api/transfers': { transfers: ['Transfer'] },
    'GET /api/transfers/{}': { transfer: 'Transfer' },
    'POST /api/exports': { transfer: 'Transfer' },
};

/** {type, nullable, optional, item}: what a property's word says. */
export function typeOf(word) {
    if (Array.isArray(word)) return { type: 'array', nullable: false, optional: false, item: word[0] };
    return { type: word.replace(/[?~]/g, ''), nullable: word.includes('?'), optional: word.includes('~'), item: null };
}

function property(word) {
    const { type, nullable, item } = typeOf(word);
    if (item) return { type: 'array', items: property(item) };
    if (type in schemas) return { $ref: `#/components/schemas/${type}` };
    return { type: nullable ? [type, 'null'] : type };
}

/** A table of words as JSON Schema. */
export function schemaOf(properties) {
    const required = Object.entries(properties).filter(([, word]) => !typeOf(word).optional).map(([name]) => name);
    return { type: 'object', required, properties: Object.fromEntries(Object.entries(properties).map(([name, word]) => [name, property(word)])) };
}
