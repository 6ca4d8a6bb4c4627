//! A small JSON parser, so that the bot needs no dependencies. 一个小的 JSON 解析器，不需要安装任何库。

pub enum Json {
    Nothing,
    Number(i64),
    Text,
    List(Vec<Json>),
    Object(Vec<String>, Vec<Json>),
}

impl Json {
    pub fn read(text: &str) -> Json {
        Reader { bytes: text.as_bytes(), at: 0 }.value()
    }

    /// Returns the value of a key of an object. 对象中某个键的值。
    pub fn get(&self, key: &str) -> &Json {
        let Json::Object(keys, values) = self else { return &Json::Nothing };
        keys.iter().position(|other| other == key).map_or(&Json::Nothing, |index| &values[index])
    }

    pub fn number(&self) -> i64 {
        if let Json::Number(number) = self {
            *number
        } else {
            0
        }
    }

    pub fn items(&self) -> &[Json] {
        if let Json::List(items) = self {
            items
        } else {
            &[]
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// Skips blanks, commas and colons.
    fn skip(&mut self) {
        while b" \t\r\n,:".contains(&self.peek()) {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Json {
        self.skip();
        match self.peek() {
            b'{' => {
                self.at += 1;
                let (mut keys, mut values) = (Vec::new(), Vec::new());
                while self.has_another(b'}') {
                    keys.push(self.text());
                    values.push(self.value());
                }
                Json::Object(keys, values)
            }
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                while self.has_another(b']') {
                    items.push(self.value());
                }
                Json::List(items)
            }
            b'"' => {
                self.text();
                Json::Text
            }
            _ => self.word(),
        }
    }

    /// Returns whether another item follows; otherwise skips the closing bracket.
    fn has_another(&mut self, end: u8) -> bool {
        self.skip();
        let is_over = self.peek() == end || self.peek() == 0;
        self.at += usize::from(is_over);
        !is_over
    }

    fn text(&mut self) -> String {
        let start = self.at + 1;
        self.at = start;
        while !b"\"\0".contains(&self.peek()) {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        String::from_utf8_lossy(self.bytes.get(start..self.at - 1).unwrap_or_default()).into_owned()
    }

    fn word(&mut self) -> Json {
        let start = self.at;
        self.at += 1;
        while !b" \t\r\n,:]}\0".contains(&self.peek()) {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.bytes.get(start..self.at).unwrap_or_default()).unwrap_or_default();
        word.parse().map_or(Json::Nothing, Json::Number)
    }
}
