/** The lists of a change set without any rows. Tests add a bank account to it. */
export const emptyChangeSet = {
  created: [],
  envelopes: [],
  entries: [],
  inserted: [],
  updated: [],
  deleted: [],
  records: [],
  readCandidateId: null,
  closed: [],
  forgotten: [],
  accountRecords: [],
  aliases: [],
  changes: [],
  replies: [],
  operations: [],
  changesTexts: false,
}
