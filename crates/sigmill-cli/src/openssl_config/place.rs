//! The place for sigmill in an existing configuration.

use super::reader::{Configuration, Value, find};

/// The sections for sigmill's lines, and their current content.
#[derive(Default)]
pub(super) struct Place {
    /// The section that `openssl_conf` names.
    pub(super) init: Option<String>,
    /// The list of providers.
    pub(super) providers: Option<String>,
    /// The section with the default properties.
    pub(super) algorithms: Option<String>,
    /// No provider is activated. OpenSSL then activates the default provider, but only as long as
    /// no other one is activated.
    pub(super) needs_default: bool,
    /// The existing default properties.
    pub(super) properties: Option<String>,
    /// The value of `fips_mode`, if it follows default properties and so changes them.
    pub(super) fips_mode: Option<bool>,
    /// True if the default properties require `fips=yes`.
    pub(super) demands_fips: bool,
    /// Consequences that the user should know.
    pub(super) notes: Vec<&'static str>,
}

impl Place {
    /// Finds the place in a configuration.
    ///
    /// # Errors
    /// The line that leaves no place, and the reason.
    pub(super) fn of(configuration: &Configuration) -> Result<Self, String> {
        if configuration
            .sections()
            .any(|name| name.starts_with("sigmill_"))
        {
            return Err("sections: a name begins with sigmill_ already".into());
        }
        let mut place = Self::default();
        let mut lines: &[(String, Value)] = &[];
        if let Some(init) = configuration.top("openssl_conf") {
            let init = section_name("openssl_conf", init)?;
            lines = configuration.section(&init).unwrap_or_default();
            place.init = Some(init);
        }
        let for_node = configuration.top("nodejs_conf");
        if for_node.is_some_and(|value| value.is_none() || *value != place.init) {
            place.notes.push(
                "nodejs_conf names another section than openssl_conf: Node.js will not use sigmill",
            );
        }
        let mut active = vec![];
        for (name, value) in lines {
            // A name may continue after a dot, and OpenSSL also accepts the first letters of a
            // module's name.
            let module = name.rsplit_once('.').map_or(&**name, |(module, _)| module);
            if module.is_empty() {
                continue;
            }
            if "providers".starts_with(module) {
                let list = section_name(name, value)?;
                active.extend(active_providers(configuration, &list)?);
                place.providers = Some(list);
            } else if "alg_section".starts_with(module) {
                if place.algorithms.is_some() {
                    return Err("openssl_conf: section has more than one alg_section".into());
                }
                let section = section_name(name, value)?;
                let lines = configuration.section(&section).unwrap_or(&[]);
                let error = |rule| format!("[{section}] {rule}");
                place.read_properties(lines).map_err(error)?;
                place.algorithms = Some(section);
            }
        }
        place.needs_default = active.is_empty();
        if place.demands_fips {
            let note = "the default properties require fips=yes: programs use sigmill only if \
                        they request other properties";
            place.notes.push(note);
        } else if !place.needs_default && !active.contains(&"default") {
            return Err(format!(
                "activates {} but not the default provider; sigmill would add algorithms that \
                 this configuration excludes",
                active.join(", ")
            ));
        }
        Ok(place)
    }

    /// Reads the section with the default properties.
    fn read_properties(&mut self, lines: &[(String, Value)]) -> Result<(), &'static str> {
        let at = |name| lines.iter().position(|line| line.0 == name);
        if let (Some(properties), Some(at)) =
            (find(lines, "default_properties"), at("default_properties"))
        {
            let known = "default_properties: value depends on the environment";
            let properties = properties.as_ref().ok_or(known)?;
            self.demands_fips = check_properties(properties)?;
            self.properties = Some(properties.clone());
            // Our line follows all lines of the file, and OpenSSL stops at a line that it refuses.
            if lines[at + 1..].iter().any(|line| line.0 != "fips_mode") {
                return Err("default_properties: must be the last line of its section");
            }
        }
        if let Some(mode) = find(lines, "fips_mode")
            && at("fips_mode") > at("default_properties")
        {
            let mode = match mode.as_deref().unwrap_or_default() {
                "TRUE" | "true" | "Y" | "y" | "YES" | "yes" => true,
                "FALSE" | "false" | "N" | "n" | "NO" | "no" => false,
                _ => return Err("fips_mode: must be yes or no"),
            };
            self.demands_fips = mode;
            self.fips_mode = Some(mode);
        }
        Ok(())
    }
}

/// Returns the name of a section, if it can be written without quotes or escapes.
fn section_name(of: &str, value: &Value) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let is_good = |name: &&String| {
        !name.is_empty() && name.chars().all(is_plain) && !name.contains("sigmill_")
    };
    let rule =
        "must be the name of a section, in letters, digits and _-. and not from the environment";
    let name = value.as_ref().filter(is_good).cloned();
    name.ok_or_else(|| format!("{of}: {rule}"))
}

/// Returns the activated providers of a list.
fn active_providers<'a>(
    configuration: &'a Configuration,
    list: &str,
) -> Result<Vec<&'a str>, String> {
    // OpenSSL ignores the part before a dot.
    let behind_dot = |name: &'a str| name.split_once('.').map_or(name, |(_, name)| name);
    let mut active = vec![];
    for (name, section) in configuration.section(list).unwrap_or(&[]) {
        let error = |rule| format!("[{list}] {name}: {rule}");
        let section = section
            .as_ref()
            .ok_or_else(|| error("depends on the environment"))?;
        let lines = configuration
            .section(section)
            .ok_or_else(|| error("no such section"))?;
        let mut name = behind_dot(name);
        let mut is_active = false;
        for (command, value) in lines {
            match (behind_dot(command), value.as_deref()) {
                ("activate", Some("1" | "yes" | "YES" | "true" | "TRUE" | "on" | "ON")) => {
                    is_active = true;
                }
                ("activate", _) => {
                    let rule = "activate: OpenSSL versions interpret this value differently";
                    return Err(error(rule));
                }
                ("identity", value) => {
                    name = value.ok_or_else(|| error("identity depends on the environment"))?
                }
                _ => {}
            }
        }
        if name == "sigmill" {
            return Err(error("already configured"));
        }
        if is_active {
            active.push(name);
        }
    }
    Ok(active)
}

/// Checks that default properties can be extended. Returns whether they require `fips=yes`.
fn check_properties(properties: &str) -> Result<bool, &'static str> {
    let mut demands_fips = false;
    if properties.trim().is_empty() {
        return Ok(false);
    }
    for clause in properties.split(',') {
        let clause = clause.trim().to_ascii_lowercase();
        let is_clause = |c: char| c.is_ascii_alphanumeric() || "_.=!-+? ".contains(c);
        if clause.is_empty() || !clause.chars().all(is_clause) {
            return Err(
                "default_properties: expected clauses such as fips=yes, separated by commas",
            );
        }
        let name = clause.trim_start_matches(['?', '-', ' ']);
        let end = name.find(['=', '!', ' ']).unwrap_or(name.len());
        let (name, value) = name.split_at(end);
        if name == "provider" || name.starts_with("sigmill.") {
            return Err("default_properties: already chooses a provider");
        }
        let value: String = value.split(' ').collect();
        demands_fips |= name == "fips" && clause.starts_with('f') && matches!(&*value, "" | "=yes");
    }
    Ok(demands_fips)
}
