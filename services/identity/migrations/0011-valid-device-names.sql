ALTER TABLE sessions VALIDATE CONSTRAINT sessions_device_name;
