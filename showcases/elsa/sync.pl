# Replaces the lock around the `Vec` of the `FrozenVec` for several threads.

s/(use stable_deref_trait::StableDeref;\n)/$1use stayput::SharedVec;\n/ or die;
s/vec: RwLock::new\(vec\),/vec: vec.into(),/ or die;
s/vec: RwLock<Vec<T>>,/vec: SharedVec<T>,/ or die;
s/        match self\.vec\.try_read\(\) \{.*?\n        \}\n(    \}\n)/        self.vec.fmt(f)\n$1/s or die;
s/        let vec = self\.vec\.read\(\)\.unwrap\(\);\n        vec\.len\(\)\n/        self.vec.len()\n/ or die;
s/vec: RwLock::new\(Vec::new\(\)\),/vec: SharedVec::new(),/ or die;
s/        let mut vec = self\.vec\.write\(\)\.unwrap\(\);\n        vec(\.push\(val\);\n    \}\n)/        self.vec$1/ or die;
s/        let mut vec = self\.vec\.write\(\)\.unwrap\(\);\n        vec\.push\(val\);\n.*?(    \}\n)/        self.vec.push(val).1\n$1/s or die;
s/        let mut vec = self\.vec\.write\(\)\.unwrap\(\);\n        let index.*?(    \}\n)/        self.vec.push(val).0\n$1/s or die;
s/        let vec = self\.vec\.read\(\)\.unwrap\(\);\n        unsafe \{ vec\.get\(index\).*?(    \}\n)/        self.vec.get(index).map(|x| &**x)\n$1/s or die;
s/self\.vec\.into_inner\(\)\.unwrap\(\)/self.vec.into()/ or die;
s/AsMut<Vec<T>> for FrozenVec/AsMut<[T]> for FrozenVec/ or die;
s/(fn as_mut\(&mut self\) -> &mut )Vec<T>( \{\n        self\.vec\.)get_mut\(\)\.unwrap\(\)/$1\[T]$2as_mut_slice()/ or die;
s/vec: self\.vec\.read\(\)\.unwrap\(\)\.clone\(\)\.into\(\)/vec: self.vec.clone()/ or die;
s/        let self_ref: &Vec<T> = .*?(    \}\n)/        self.vec == other.vec\n$1/s or die;
