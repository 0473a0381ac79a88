//! From words to the tokens that stand for them.

use frostem::{Algorithm, Stemmer};

use super::fold::{MarkFolder, fold_case, fold_turkish_case};
use super::language::{Analysis, Language, Stemming};
use super::long_word::shorten;
use super::words::is_arabic;

/// Makes tokens of words. One for each thread.
#[derive(Clone, Default)]
pub(super) struct TokenMaker {
    marks: MarkFolder,
    /// Words at work.
    lower: String,
    folded: String,
    stemmed: String,
}

/// The script of a word, as far as stemmers need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Arabic,
    Other(Option<Algorithm>),
}

impl TokenMaker {
    /// Calls `emit` with the token of a word in any case, whether it is the first, and then the word, folded; an endless
    /// one stays unsaid. A second token stands for the same word in the same place: the word without its ending cut for
    /// [`Stemming::Multiple`], and otherwise the word as if it had been written without marks. A query asks for the first,
    /// and for the second with [`Stemming::Multiple`] only.
    pub(super) fn tokens_of(
        &mut self,
        word: &str,
        analysis: Analysis,
        mut emit: impl FnMut(&str, bool, &str),
    ) {
        let script = script_of(word);
        let is_turkish = analysis.language == Language::Tr && script == Script::Latin;
        match is_turkish {
            true => fold_turkish_case(word, &mut self.lower),
            false => fold_case(word, &mut self.lower),
        }
        self.folded.clone_from(&self.lower);
        self.marks.fold(&mut self.folded);
        if self.folded.is_empty() {
            return;
        }
        if shorten(&mut self.folded) {
            return emit(&self.folded, true, "");
        }
        let stemmer = match (analysis.stemming, script) {
            (Stemming::None, _) => None,
            (_, Script::Latin) => Some(analysis.language.algorithm()),
            (_, Script::Arabic) => (!is_persian_or_urdu(&self.lower)).then_some(Algorithm::Arabic),
            (_, Script::Other(algorithm)) => algorithm,
        };
        let Some(algorithm) = stemmer else {
            self.stemmed.clone_from(&self.folded);
            end_arabic(script, &mut self.stemmed);
            return emit(&self.stemmed, true, &self.folded);
        };
        // Stemmers of languages that write marks need them, English and other scripts' do without.
        let stems_marked = script == Script::Latin && analysis.language != Language::En;
        let word = if stems_marked {
            &self.lower
        } else {
            &self.folded
        };
        stem_into(algorithm, word, &mut self.stemmed);
        self.marks.fold(&mut self.stemmed);
        end_arabic(script, &mut self.stemmed);
        if analysis.stemming == Stemming::Shortest && self.stemmed.len() > self.folded.len() {
            self.stemmed.clone_from(&self.folded);
        }
        self.lower.clone_from(&self.stemmed);
        emit(&self.stemmed, true, &self.folded);
        let has_second = match analysis.stemming {
            Stemming::Multiple => {
                end_arabic(script, &mut self.folded);
                true
            }
            _ if stems_marked => {
                stem_into(algorithm, &self.folded, &mut self.stemmed);
                std::mem::swap(&mut self.stemmed, &mut self.folded);
                true
            }
            _ => false,
        };
        if has_second && self.folded != self.lower {
            emit(&self.folded, false, "");
        }
    }

    /// As [`TokenMaker::tokens_of`] with [`Analysis::default`] for a word of lower-case ASCII letters.
    pub(super) fn token_of_ascii(word: &str, emit: impl FnOnce(&str)) {
        emit(&Stemmer::new(Algorithm::English).stem(singular(word)));
    }
}

fn stem_into(algorithm: Algorithm, word: &str, stemmed: &mut String) {
    let word = match algorithm {
        Algorithm::English => singular(word),
        Algorithm::Arabic => without_conjunction(word),
        _ => word,
    };
    stemmed.clear();
    stemmed.push_str(&Stemmer::new(algorithm).stem(word));
}

/// The English plurals that no rule makes, or that rules take for others'.
fn singular(word: &str) -> &str {
    match word {
        "calves" => "calf",
        "children" => "child",
        "elves" => "elf",
        "feet" => "foot",
        "geese" => "goose",
        "halves" => "half",
        "hooves" => "hoof",
        "knives" => "knife",
        "lice" => "louse",
        "loaves" => "loaf",
        "men" => "man",
        "mice" => "mouse",
        "oxen" => "ox",
        "scarves" => "scarf",
        "shelves" => "shelf",
        "teeth" => "tooth",
        "thieves" => "thief",
        "wives" => "wife",
        "wolves" => "wolf",
        "women" => "woman",
        _ => word,
    }
}

/// An Arabic word without the "and" or "so" that is written as one with the article after it: its stemmer cuts
/// articles, but these letters in front of other words only. As light10 does (Larkey et al., Light Stemming for Arabic
/// Information Retrieval, 2007), but for one letter more that has to be left, which keeps short words that begin alike.
fn without_conjunction(word: &str) -> &str {
    const LEFT_MIN: usize = 3;
    let and = word.strip_prefix(['و', 'ف']);
    let is_cut = |article: &&str| {
        let noun = article.strip_prefix("ال");
        noun.is_some_and(|noun| noun.chars().count() >= LEFT_MIN)
    };
    and.filter(is_cut).unwrap_or(word)
}

fn script_of(word: &str) -> Script {
    let letter = word.chars().find(|c| !c.is_ascii_digit()).unwrap_or('0');
    match u32::from(letter) {
        0x0370..=0x03FF | 0x1F00..=0x1FFF => Script::Other(Some(Algorithm::Greek)),
        0x0400..=0x052F => Script::Other(Some(Algorithm::Russian)),
        0x0900..=0x097F => Script::Other(Some(Algorithm::Hindi)),
        _ if is_arabic(letter) => Script::Arabic,
        0x00..0x0370 | 0x1E00..=0x1EFF | 0x2C60..=0x2C7F | 0xA720..=0xA7FF => Script::Latin,
        _ => Script::Other(None),
    }
}

/// Tells whether a word has a letter that Arabic lacks: its stemmer would cut parts of the word.
fn is_persian_or_urdu(word: &str) -> bool {
    const LETTERS: &str = "پچژگکیٹڈڑںھہےۂۓ";
    word.chars().any(|c| LETTERS.contains(c))
}

/// The end of a word that is pronounced as the letter without points is often written as it.
fn end_arabic(script: Script, word: &mut String) {
    if script == Script::Arabic && word.ends_with('ة') {
        word.pop();
        word.push('ه');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(word: &str, language: Language, stemming: Stemming) -> Vec<String> {
        let mut tokens = Vec::new();
        let analysis = Analysis { language, stemming };
        TokenMaker::default()
            .tokens_of(word, analysis, |token, _, _| tokens.push(token.to_owned()));
        tokens
    }

    #[test]
    fn endings_are_cut_by_language_and_other_scripts_by_themselves() {
        for (a, b, language) in [
            ("Häuser", "Haus", Language::De),
            ("voitures", "voiture", Language::Fr),
            ("canciones", "canción", Language::Es),
            ("Bilarna", "bil", Language::Sv),
            ("kitaplar", "kitap", Language::Tr),
            ("IŞIKLAR", "ışık", Language::Tr),
            ("könyvek", "könyv", Language::Hu),
            ("talot", "talo", Language::Fi),
            ("bhfuinneog", "fuinneog", Language::Ga),
            ("książki", "książka", Language::Pl),
            ("Книги", "книга", Language::De),
            ("ανθρώπων", "άνθρωποι", Language::En),
            ("الكتاب", "كتاب", Language::Fr),
            ("والكتاب", "كتاب", Language::En),
            ("فالقلم", "قلم", Language::En),
            ("किताबें", "किताब", Language::En),
            ("mice", "Mouse", Language::En),
        ] {
            let [a, b] = [a, b].map(|word| tokens(word, language, Stemming::Best));
            assert_eq!(a[0], b[0], "{language:?}");
        }
    }

    #[test]
    fn a_word_is_found_as_it_would_be_without_its_marks() {
        let written = tokens("brûlées", Language::Fr, Stemming::Best);
        let plain = tokens("brulees", Language::Fr, Stemming::Best);
        assert_eq!((written.len(), plain.len()), (2, 1));
        assert_eq!(written[1], plain[0]);
    }

    #[test]
    fn stemming_says_what_becomes_of_endings() {
        assert_eq!(tokens("Dogs", Language::En, Stemming::None), ["dogs"]);
        assert_eq!(tokens("Dogs", Language::En, Stemming::Best), ["dog"]);
        assert_eq!(tokens("Dogs", Language::En, Stemming::Shortest), ["dog"]);
        assert_eq!(
            tokens("Dogs", Language::En, Stemming::Multiple),
            ["dog", "dogs"]
        );
        assert_eq!(tokens("dog", Language::En, Stemming::Multiple), ["dog"]);
    }

    #[test]
    fn arabic_words_that_begin_as_if_with_and_the_stay() {
        for word in ["والد", "والدة", "فالح"] {
            assert_eq!(without_conjunction(word), word);
        }
    }

    #[test]
    fn persian_is_not_stemmed_as_arabic() {
        assert_eq!(tokens("تهران", Language::En, Stemming::None).len(), 1);
        assert_eq!(tokens("ایران", Language::En, Stemming::Best), ["ايران"]);
    }
}
