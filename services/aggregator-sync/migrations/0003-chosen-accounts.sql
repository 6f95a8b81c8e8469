-- Links with chosen accounts that the ledger does not have yet, of all accounts.
CREATE INDEX aggregator_links_chosen ON aggregator_links (account_id, link_id)
  WHERE chosen_accounts <> '{}';
