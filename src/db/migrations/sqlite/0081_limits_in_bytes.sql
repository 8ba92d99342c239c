-- Stored sentences (base/said.h) had their limit as a number of KB or MB, and the unit was in the text of the catalogue.
-- Now a limit is a number of bytes.
UPDATE message SET error = 'answer.too_long' || char(9) || 'max#1048576'
    WHERE error = 'answer.too_long' || char(9) || 'max:1024';
UPDATE compaction_request SET error = 'chat.too_much_to_compact' || char(9) || 'max#33554432'
    WHERE error = 'chat.too_much_to_compact' || char(9) || 'max:32';
UPDATE job SET error = 'chat.too_much_to_compact' || char(9) || 'max#33554432'
    WHERE error = 'chat.too_much_to_compact' || char(9) || 'max:32';
UPDATE transfer SET error = substr(error, 1, instr(error, ':') - 1) || '#' || (substr(error, instr(error, ':') + 1) * 1048576)
    WHERE error LIKE 'import.part_too_big' || char(9) || 'max:%' OR error LIKE 'import.too_big' || char(9) || 'max:%';
