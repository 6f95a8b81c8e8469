-- The span that wrote a change (W3C traceparent), so that its trace goes on in consumers. Null in
-- most rows: only sampled requests have one.
ALTER TABLE changes ADD COLUMN trace_context text;
