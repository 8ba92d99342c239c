-- A CHECK with a list of three or more words makes a table of the words for each row that is written. The
-- same condition as comparisons does not. The constraints stay as they are in meaning, so no row has to be
-- read or copied: https://sqlite.org/lang_altertable.html, section 7, the simpler procedure.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(replace(sql,
    'CHECK (titled_by IN (''none'', ''helper'', ''user''))',
    'CHECK (titled_by = ''none'' OR titled_by = ''helper'' OR titled_by = ''user'')'),
    'CHECK (effort IN (''low'', ''medium'', ''high''))',
    'CHECK (effort = ''low'' OR effort = ''medium'' OR effort = ''high'')')
WHERE type = 'table' AND name = 'session';

UPDATE sqlite_schema SET sql = replace(replace(replace(sql,
    'CHECK (role IN (''user'', ''assistant'', ''system'', ''tool''))',
    'CHECK (role = ''user'' OR role = ''assistant'' OR role = ''system'' OR role = ''tool'')'),
    'CHECK (status IN (''done'', ''running'', ''stopped'', ''interrupted'', ''failed''))',
    'CHECK (status = ''done'' OR status = ''running'' OR status = ''stopped'' OR status = ''interrupted'' OR status = ''failed'')'),
    'CHECK (stop IN (''length'', ''window'', ''refusal'', ''filter'', ''rejected'', ''paused''))',
    'CHECK (stop = ''length'' OR stop = ''window'' OR stop = ''refusal'' OR stop = ''filter'' OR stop = ''rejected'' OR stop = ''paused'')')
WHERE type = 'table' AND name = 'message';

UPDATE sqlite_schema SET sql = replace(sql,
    'CHECK (status IN (''running'', ''done'', ''stopped'', ''interrupted'', ''failed''))',
    'CHECK (status = ''running'' OR status = ''done'' OR status = ''stopped'' OR status = ''interrupted'' OR status = ''failed'')')
WHERE type = 'table' AND name = 'turn';

UPDATE sqlite_schema SET sql = replace(sql,
    'CHECK (state IN (''ready'', ''leased'', ''done'', ''dead''))',
    'CHECK (state = ''ready'' OR state = ''leased'' OR state = ''done'' OR state = ''dead'')')
WHERE type = 'table' AND name = 'job';

PRAGMA writable_schema = RESET;

-- A change of the schema by a statement: other connections read the schema again.
CREATE TABLE checks_compared (x);
DROP TABLE checks_compared;
