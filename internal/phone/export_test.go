package phone

// LoadRegistry reads a registry file and returns what is wrong with it.
func LoadRegistry(source string) error {
	_, err := loadRegistry(source)
	return err
}
