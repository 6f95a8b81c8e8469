-- A row's texts are some twenty keys of the index, and each was searched for while the row was being
-- written. Now they wait in a list, to be put in place together by the write that fills it. A search
-- reads all of the list, so it stays small: 64 kB are the texts of about two hundred rows.
ALTER INDEX transactions_text SET (fastupdate = on, gin_pending_list_limit = 64);
